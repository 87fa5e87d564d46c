package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.window;
import static org.apache.spark.sql.streaming.OutputMode.Update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.testStream;

import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.StreamInput;
import streamingdeepdive.testkit.StreamingExtension;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class SlidingWindowsTest {
  static Dataset<Row> sliding(Dataset<Row> events, String slide, String startTime) {
    return SlidingWindows.buildQuery(
        events, "10 minutes", window(col("event_time"), "10 minutes", slide, startTime));
  }

  @Test
  void aSaleIsInExactlyTwoWindowsUntilTheyClose(StreamInput sales) {
    testStream(
        SlidingWindows.buildQuery(sales.toDF()),
        Update(),
        add(sales, sale("12:03", "eu", 10.0))
            .rows(total("11:55", "12:05", "eu", 10.0), total("12:00", "12:10", "eu", 10.0))
            .state(2),
        add(sales, sale("12:07", "eu", 1.0))
            .rows(total("12:00", "12:10", "eu", 11.0), total("12:05", "12:15", "eu", 1.0))
            .state(3),
        add(sales, sale("12:20", "us", 2.0))
            .rows(total("12:15", "12:25", "us", 2.0), total("12:20", "12:30", "us", 2.0))
            .watermark("12:10")
            .state(3));
  }

  @Test
  void aLateSaleCountsInTheWindowThatIsStillOpen(InMemoryStream sales) {
    testStream(
        SlidingWindows.buildQuery(sales.toDF()),
        Update(),
        add(sales, sale("12:20", "eu", 1.0)).watermark("12:10"),
        add(sales, sale("12:07", "eu", 5.0)).rows(total("12:05", "12:15", "eu", 5.0)).dropped(1));
  }

  @Test
  void theStartOfAWindowBelongsToItTheEndDoesNot(InMemoryStream sales) {
    testStream(
        SlidingWindows.buildQuery(sales.toDF()),
        Update(),
        add(sales, sale("12:05", "eu", 1.0))
            .rows(total("12:00", "12:10", "eu", 1.0), total("12:05", "12:15", "eu", 1.0)),
        add(sales, sale("12:04:59.999999", "us", 1.0))
            .rows(total("11:55", "12:05", "us", 1.0), total("12:00", "12:10", "us", 1.0)));
  }

  /** On a batch Dataset, as are the following tests. */
  @Test
  void theSumOverSlidingWindowsIsTwiceTheSumOfTheSales(SparkSession spark) {
    Dataset<Row> sales = FileSource.readTable(spark, "sample-data/sales");
    double amount = totalOf(sales, "amount");

    assertThat(totalOf(SlidingWindows.buildQuery(sales), "total_amount")).isEqualTo(2 * amount);
    assertThat(totalOf(WindowedAggregation.buildQuery(sales), "total_amount")).isEqualTo(amount);
  }

  private static double totalOf(Dataset<Row> rows, String column) {
    return rows.agg(sum(column)).head().getDouble(0);
  }

  @Test
  void aSlideLongerThanTheWindowIsRefused(InMemoryStream sales) {
    assertThatThrownBy(() -> sliding(sales.toDF(), "15 minutes", "0 seconds"))
        .isInstanceOf(AnalysisException.class)
        .hasMessageContaining(
            "The `slide_duration`(900000000L) must be <= the `window_duration`(600000000L)");
  }

  @Test
  void aStartTimeNotShorterThanTheSlideIsRefused(InMemoryStream sales) {
    assertThatThrownBy(() -> sliding(sales.toDF(), "5 minutes", "5 minutes"))
        .isInstanceOf(AnalysisException.class)
        .hasMessageContaining(
            "The `abs(start_time)`(300000000L) must be < the `slide_duration`(300000000L)");
  }
}
