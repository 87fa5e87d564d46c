package streamingdeepdive.lesson;

import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.testkit.Rows.at;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.crash;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.testStream;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.StreamInput;
import streamingdeepdive.testkit.StreamingExtension;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class ArbitraryStateTest {
  static Row alert(String region, int number, String first, String last, double total) {
    return row(region, number, at(first), at(last), total);
  }

  @Test
  void anAlertComesOnceWhenTheWatermarkIsLaterThanTheQuietPeriod(StreamInput sales) {
    testStream(
        ArbitraryState.buildQuery(sales.toDF()),
        Append(),
        add(sales, sale("12:00", "eu", 1.0), sale("12:30", "eu", 2.0), sale("12:30", "us", 8.0))
            .rows()
            .state(2),
        // The watermark has just reached 13:00: a sale of that moment would belong to it.
        add(sales, sale("13:10", "us", 16.0)).rows().watermark("13:00"),
        add(sales, sale("13:05", "eu", 4.0)).rows().dropped(0),
        add(sales, sale("13:10:00.001", "us", 32.0))
            .rows(alert("eu", 1, "12:00", "12:30", 3.0), alert("us", 1, "12:30", "12:30", 8.0))
            .watermark("13:00:00.001")
            .state(2),
        // The number goes on; the total begins anew.
        add(sales, sale("14:30", "us", 64.0))
            .rows(
                alert("eu", 2, "13:05", "13:05", 4.0),
                alert("us", 2, "13:10", "13:10:00.001", 48.0))
            .state(2)
            .removed(0));
  }

  @Test
  void nothingComesWhileTheWatermarkStands(InMemoryStream sales) {
    testStream(
        ArbitraryState.buildQuery(sales.toDF()),
        Append(),
        add(sales, sale("12:00", "eu", 1.0)).microBatches(2),
        restart().rows(),
        add(sales, sale("12:00", "eu", 2.0)).rows().microBatches(1),
        add(sales, sale("12:40:00.001", "us", 4.0))
            .rows(alert("eu", 1, "12:00", "12:00", 3.0))
            .microBatches(2));
  }

  @Test
  void aRowThatTheWatermarkHasReachedIsDroppedThoughItsRunIsOpen(InMemoryStream sales) {
    testStream(
        ArbitraryState.buildQuery(sales.toDF()),
        Append(),
        add(sales, sale("12:10", "eu", 1.0)).watermark("12:00").state(1),
        add(sales, sale("12:00", "eu", 100.0), sale("12:00", "us", 100.0)).dropped(2).state(1),
        add(sales, sale("12:00:00.001", "eu", 2.0)).dropped(0),
        add(sales, sale("13:00", "ap", 4.0))
            .rows(alert("eu", 1, "12:00:00.001", "12:10", 3.0))
            .state(2));
  }

  @Test
  void stateAndTimeoutsSurviveARestartAndACrash(FileStream sales) {
    testStream(
        ArbitraryState.buildQuery(sales.toDF()),
        Append(),
        add(sales, sale("12:00", "eu", 1.0)).rows().watermark("11:50").state(1).dropped(0),
        restart().rows(),
        crash(sales, sale("12:10", "eu", 2.0)).rows().watermark("12:00").state(1).dropped(0),
        crash(sales, sale("13:00", "us", 4.0))
            .rows(alert("eu", 1, "12:00", "12:10", 3.0))
            .watermark("12:50")
            .state(2)
            .dropped(0),
        restart().rows(),
        add(sales, sale("13:00", "eu", 8.0), sale("12:50", "eu", 1000.0))
            .rows()
            .watermark("12:50")
            .state(2)
            .dropped(1),
        add(sales, sale("14:00", "us", 16.0))
            .rows(alert("eu", 2, "13:00", "13:00", 8.0), alert("us", 1, "13:00", "13:00", 4.0))
            .watermark("13:50")
            .state(2)
            .dropped(0));
  }

  @Test
  void aBatchDatasetReportsAllThatWasSold(SparkSession spark) {
    Dataset<Row> sales = FileSource.readTable(spark, "sample-data/sales");

    assertThat(ArbitraryState.buildQuery(sales).collectAsList())
        .containsExactlyInAnyOrder(
            alert("ap", 1, "12:05", "12:05", 4.0),
            alert("br", 1, "13:20", "13:21", 14.0),
            alert("eu", 1, "12:01", "12:14", 1127.0),
            alert("us", 1, "12:02", "12:15", 35.0));
  }
}
