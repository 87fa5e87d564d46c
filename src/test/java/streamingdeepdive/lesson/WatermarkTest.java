package streamingdeepdive.lesson;

import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.apache.spark.sql.streaming.OutputMode.Update;
import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.addAllAtOnce;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
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

  @Test
  void aBatchDatasetHasNoLateRows(SparkSession spark) {
    Dataset<Row> sales = FileSource.readTable(spark, "sample-data/sales");

    assertThat(Watermark.buildQuery(sales, "1 minute").collectAsList())
        .containsExactlyInAnyOrderElementsOf(
            Watermark.buildQueryWithoutWatermark(sales).collectAsList())
        .contains(total("12:00", "12:05", "eu", 1125.0));
  }
}
