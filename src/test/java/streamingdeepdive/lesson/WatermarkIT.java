package streamingdeepdive.lesson;

import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.apache.spark.sql.streaming.OutputMode.Update;
import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.time.LocalTime;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.Step;
import streamingdeepdive.testkit.StreamingExtension;

/** Boundaries, delays, and state over many windows. */
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

  @Test
  void theLastInstantOfAClosedWindowIsLateTheNextOneIsNot(InMemoryStream sales) {
    testStream(
        Watermark.buildQuery(sales.toDF()),
        Update(),
        add(sales, sale("12:15", "eu", 1.0)).watermark("12:05"),
        add(sales, sale("12:04:59.999999", "eu", 1.0)).rows().dropped(1),
        add(sales, sale("12:05", "eu", 1.0)).rows(total("12:05", "12:10", "eu", 1.0)).dropped(0));
  }

  @Test
  void aWindowStaysOpenUntilTheWatermarkIsAtItsEnd(InMemoryStream sales) {
    testStream(
        Watermark.buildQuery(sales.toDF()),
        Append(),
        add(sales, sale("12:04", "eu", 1.0)).rows(),
        add(sales, sale("12:14:59.999", "us", 1.0)).rows().watermark("12:04:59.999"),
        add(sales, sale("12:15", "us", 1.0))
            .rows(total("12:00", "12:05", "eu", 1.0))
            .watermark("12:05"));
  }

  /** A watermark starts at 1970. Without one nothing is late. */
  @Test
  void onAStreamAnEventBefore1970IsLateFromTheStart(InMemoryStream sales, SparkSession spark) {
    Row before = sale("1969-12-31T23:59:59.999999", "eu", 1.0);
    Row first = sale("1970-01-01T00:00", "eu", 2.0);
    Row lastTotal = total("1969-12-31T23:55", "1970-01-01T00:00", "eu", 1.0);
    Row firstTotal = total("1970-01-01T00:00", "1970-01-01T00:05", "eu", 2.0);

    testStream(
        Watermark.buildQuery(sales.toDF()),
        Update(),
        add(sales, before, first).rows(firstTotal).dropped(1));
    testStream(
        Watermark.buildQueryWithoutWatermark(sales.toDF()),
        Update(),
        start().rows(lastTotal, firstTotal));
    Dataset<Row> batch =
        spark.createDataFrame(List.of(before, first), StructType.fromDDL(FileSource.SCHEMA));
    assertThat(Watermark.buildQuery(batch).collectAsList())
        .containsExactlyInAnyOrder(lastTotal, firstTotal);
  }

  @Test
  void theWatermarkNeverGoesBack(InMemoryStream sales) {
    testStream(
        Watermark.buildQuery(sales.toDF()),
        Update(),
        add(sales, sale("12:30", "eu", 1.0)).watermark("12:20"),
        add(sales, sale("12:22", "eu", 1.0)).watermark("12:20"));
  }

  @Test
  void aShorterDelayDropsWhatALongerOneKeeps(InMemoryStream sales) {
    testStream(
        Watermark.buildQuery(sales.toDF(), "1 minute"),
        Update(),
        add(sales, sale("12:14", "eu", 1.0)).watermark("12:13"),
        add(sales, sale("12:05", "eu", 1.0)).rows().dropped(1));
  }

  @Test
  void lateRowsAreCountedBehindThePartialAggregation(InMemoryStream sales) {
    testStream(
        Watermark.buildQuery(sales.toDF()),
        Update(),
        add(sales, sale("13:00", "eu", 1.0)),
        add(
                sales,
                sale("12:01", "eu", 1.0),
                sale("12:02", "eu", 1.0),
                sale("12:06", "eu", 1.0),
                sale("12:07", "eu", 1.0))
            .dropped(2));
  }
}
