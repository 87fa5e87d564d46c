package streamingdeepdive.lesson;

import static org.apache.spark.sql.streaming.OutputMode.Update;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.time.LocalTime;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.Step;
import streamingdeepdive.testkit.StreamingExtension;

/** State over many windows. */
@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class WatermarkIT {

  /** Windows go one micro-batch later than usual: the watermark of a batch counts in the next. */
  @Test
  void withAWatermarkTheStateStaysBounded(InMemoryStream sales, SparkSession spark) {
    spark.conf().set("spark.sql.streaming.noDataMicroBatches.enabled", "false");
    testStream(
        Watermark.buildQuery(sales.toDF()), Update(), twentyWindows(sales, i -> Math.min(i, 4)));
  }

  @Test
  void withoutAWatermarkTheStateOnlyGrows(InMemoryStream sales) {
    testStream(
        Watermark.buildQueryWithoutWatermark(sales.toDF()), Update(), twentyWindows(sales, i -> i));
  }

  /** One sale in each of 20 windows, and the state rows after the first i of them. */
  private static Step[] twentyWindows(InMemoryStream sales, IntUnaryOperator stateRows) {
    return IntStream.rangeClosed(1, 20)
        .mapToObj(
            i ->
                add(sales, sale(LocalTime.NOON.plusMinutes(5 * i).toString(), "eu", 1.0))
                    .state(stateRows.applyAsInt(i)))
        .toArray(Step[]::new);
  }
}
