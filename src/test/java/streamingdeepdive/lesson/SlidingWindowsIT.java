package streamingdeepdive.lesson;

import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.apache.spark.sql.streaming.OutputMode.Update;
import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.lesson.SlidingWindowsTest.sliding;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.testStream;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.StreamingExtension;

/** Other slides and start times, and append mode. */
@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class SlidingWindowsIT {
  @Test
  void windowsStartAtTheStartTime(InMemoryStream sales) {
    testStream(
        sliding(sales.toDF(), "5 minutes", "2 minutes"),
        Update(),
        add(sales, sale("12:00", "eu", 1.0))
            .rows(total("11:52", "12:02", "eu", 1.0), total("11:57", "12:07", "eu", 1.0)));
  }

  @Test
  void finalTotalsOfOverlappingWindowsComeOneByOne(InMemoryStream sales) {
    testStream(
        SlidingWindows.buildQuery(sales.toDF()),
        Append(),
        add(sales, sale("12:03", "eu", 1.0)).rows(),
        add(sales, sale("12:15", "eu", 1.0)).rows(total("11:55", "12:05", "eu", 1.0)),
        add(sales, sale("12:20", "eu", 1.0)).rows(total("12:00", "12:10", "eu", 1.0)));
  }

  @Test
  void aSlideOfTheWindowsLengthGivesTumblingWindows(SparkSession spark) {
    Dataset<Row> sales = FileSource.readTable(spark, "sample-data/sales");

    assertThat(sliding(sales, "10 minutes", "0 seconds").collectAsList())
        .containsExactlyInAnyOrderElementsOf(
            WindowedAggregation.buildQuery(sales, "10 minutes", "10 minutes").collectAsList());
  }
}
