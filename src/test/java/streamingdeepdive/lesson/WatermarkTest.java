package streamingdeepdive.lesson;

import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.apache.spark.sql.streaming.OutputMode.Update;
import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.addAllAtOnce;
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
class WatermarkTest {
  /** Lateness by kind: on time, out of order, late for the watermark, late for the window. */
  @Test
  void aRowCountsUntilItsWindowIsClosed(StreamInput sales) {
    testStream(
        Watermark.buildQuery(sales.toDF()),
        Update(),
        // On time.
        add(sales, sale("12:14", "eu", 1.0))
            .rows(total("12:10", "12:15", "eu", 1.0))
            .watermark("12:04")
            .state(1),
        // Out of order within the delay.
        add(sales, sale("12:05", "eu", 10.0))
            .rows(total("12:05", "12:10", "eu", 10.0))
            .watermark("12:04")
            .state(2)
            .dropped(0),
        // Behind the watermark, but its window is open.
        add(sales, sale("12:03", "eu", 100.0))
            .rows(total("12:00", "12:05", "eu", 100.0))
            .watermark("12:04")
            .state(3)
            .dropped(0),
        // The watermark reaches the end of that window, which closes.
        add(sales, sale("12:15", "us", 2.0))
            .rows(total("12:15", "12:20", "us", 2.0))
            .watermark("12:05")
            .state(3),
        // Its window is closed.
        add(sales, sale("12:03", "eu", 1000.0)).rows().watermark("12:05").state(3).dropped(1));
  }

  @Test
  void noRowIsLateAgainstARowOfItsOwnMicroBatch(InMemoryStream sales) {
    testStream(
        Watermark.buildQuery(sales.toDF()),
        Update(),
        add(sales, sale("13:00", "eu", 1.0), sale("12:00", "eu", 2.0))
            .rows(total("13:00", "13:05", "eu", 1.0), total("12:00", "12:05", "eu", 2.0))
            .dropped(0)
            .watermark("12:50")
            .state(1));
  }

  @Test
  void theWatermarkMovesAfterTheMicroBatchAndANoDataMicroBatchFollows(FileStream sales) {
    testStream(
        Watermark.buildQuery(sales.toDF()),
        Update(),
        add(sales, sale("12:20", "eu", 1.0)).microBatches(2).watermark("12:10"),
        add(sales, sale("12:20", "eu", 1.0)).microBatches(1).watermark("12:10"),
        add(sales, sale("12:15", "eu", 1.0)).microBatches(1).watermark("12:10"),
        add(sales, sale("12:21", "eu", 1.0)).microBatches(2).watermark("12:11"));
  }

  @Test
  void fedFileByFileTheLateRowIsDropped(FileStream sales) {
    testStream(
        Watermark.buildQuery(sales.toDF()),
        Append(),
        add(sales, sale("10:25", "eu", 1.0)).rows(),
        add(sales, sale("10:02", "eu", 2.0)).rows().dropped(1),
        add(sales, sale("10:51", "eu", 4.0)).rows(total("10:25", "10:30", "eu", 1.0)));
  }

  @Test
  void fedAllAtOnceTheSameRowIsKept(FileStream sales) {
    testStream(
        Watermark.buildQuery(sales.toDF()),
        Append(),
        addAllAtOnce(
                sales, sale("10:25", "eu", 1.0), sale("10:02", "eu", 2.0), sale("10:51", "eu", 4.0))
            .rows(total("10:00", "10:05", "eu", 2.0), total("10:25", "10:30", "eu", 1.0))
            .dropped(0));
  }

  @Test
  void theWatermarkSurvivesARestart(FileStream sales) {
    testStream(
        Watermark.buildQuery(sales.toDF()),
        Update(),
        add(sales, sale("12:30", "eu", 1.0)).watermark("12:20"),
        restart(),
        add(sales, sale("12:00", "eu", 1.0)).rows().watermark("12:20").dropped(1));
  }

  @Test
  void aBatchDatasetHasNoLateRows(SparkSession spark) {
    Dataset<Row> sales = FileSource.readTable(spark, "sample-data/sales");

    assertThat(Watermark.buildQuery(sales, "1 minute").collectAsList())
        .containsExactlyInAnyOrderElementsOf(
            Watermark.buildQueryWithoutWatermark(sales).collectAsList())
        .contains(total("12:00", "12:05", "eu", 1125.0));
  }
}
