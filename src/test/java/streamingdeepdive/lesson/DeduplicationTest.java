package streamingdeepdive.lesson;

import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.crash;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.testStream;

import org.apache.spark.sql.AnalysisException;
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
class DeduplicationTest {
  static final Row NOON_EU = sale("12:00", "eu", 1.0);

  @Test
  void anExactRedeliveryIsDropped(StreamInput sales) {
    testStream(
        Deduplication.buildQuery(sales.toDF()),
        Append(),
        // In the same file.
        add(sales, NOON_EU, NOON_EU, sale("12:00", "us", 1.0))
            .rows(NOON_EU, sale("12:00", "us", 1.0))
            .state(2)
            .duplicates(1),
        // In a later one; another amount or another time is another sale.
        add(sales, NOON_EU, sale("12:00", "eu", 2.0), sale("12:01", "eu", 1.0))
            .rows(sale("12:00", "eu", 2.0), sale("12:01", "eu", 1.0))
            .state(4)
            .duplicates(1)
            .dropped(0));
  }

  @Test
  void anExactRedeliveryIsDroppedAfterARestartAndACrash(FileStream sales) {
    testStream(
        Deduplication.buildQuery(sales.toDF()),
        Append(),
        add(sales, NOON_EU).rows(NOON_EU),
        restart().rows(),
        add(sales, NOON_EU).rows().duplicates(1),
        // The replayed micro-batch is judged by the keys of the micro-batches before it.
        crash(sales, sale("12:01", "eu", 1.0)).rows(sale("12:01", "eu", 1.0)),
        add(sales, sale("12:01", "eu", 1.0)).rows().duplicates(1));
  }

  @Test
  void theStateShrinksWithTheWatermarkAndOlderRowsAreLate(InMemoryStream sales) {
    testStream(
        Deduplication.buildQuery(sales.toDF()),
        Append(),
        add(sales, NOON_EU, sale("12:01", "eu", 1.0)).state(2),
        add(sales, sale("13:00", "eu", 1.0)).watermark("12:00").state(2),
        // Remembered: the watermark has not reached it.
        add(sales, sale("12:01", "eu", 1.0)).rows().duplicates(1).dropped(0),
        // Forgotten, and late.
        add(sales, NOON_EU).rows().duplicates(0).dropped(1),
        // Never seen before, and as late.
        add(sales, sale("11:59", "ap", 9.0)).rows().duplicates(0).dropped(1),
        add(sales, sale("13:01", "eu", 1.0)).watermark("12:01").state(2));
  }

  @Test
  void withoutEventTimeAmongTheKeysTheStateOnlyGrows(InMemoryStream sales) {
    testStream(
        Deduplication.buildQuery(sales.toDF(), "1 hour", "region", "amount"),
        Append(),
        add(sales, NOON_EU).rows(NOON_EU).state(1),
        add(sales, sale("18:00", "us", 1.0)).watermark("17:00").state(2),
        add(sales, sale("18:00", "eu", 1.0)).rows().duplicates(1).state(2));
  }

  @Test
  void withinTheWatermarkAKeyComesBackAfterItExpired(InMemoryStream sales) {
    testStream(
        Deduplication.buildQueryWithinWatermark(sales.toDF(), "1 hour", "region", "amount"),
        Append(),
        add(sales, NOON_EU).rows(NOON_EU).state(1),
        // The same keys at another time.
        add(sales, sale("12:30", "eu", 1.0)).rows().duplicates(1).state(1),
        // The keys of 12:00 are kept until the watermark is at 13:00.
        add(sales, sale("13:59", "us", 1.0)).watermark("12:59").state(2),
        add(sales, sale("13:59", "eu", 1.0)).rows().duplicates(1),
        add(sales, sale("14:00", "us", 2.0)).watermark("13:00").state(2),
        add(sales, sale("14:00", "eu", 1.0)).rows(sale("14:00", "eu", 1.0)).duplicates(0).state(3));
  }

  @Test
  void withoutKeysItIsRefused(InMemoryStream sales) {
    assertThatThrownBy(() -> Deduplication.buildQuery(sales.toDF(), "1 hour"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Name the columns to compare");
    assertThatThrownBy(() -> Deduplication.buildQueryWithinWatermark(sales.toDF(), "1 hour"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Name the columns to compare");
  }

  @Test
  void aBatchDatasetHasNoRowTwice(SparkSession spark) {
    Dataset<Row> sales = FileSource.readTable(spark, "sample-data/sales");

    assertThat(Deduplication.buildQuery(sales).collectAsList())
        .containsExactlyInAnyOrderElementsOf(sales.distinct().collectAsList())
        .hasSize((int) sales.count() - 3);
  }

  @Test
  void withinTheWatermarkABatchDatasetIsRefused(SparkSession spark) {
    Dataset<Row> sales = FileSource.readTable(spark, "sample-data/sales");

    assertThatThrownBy(
            () ->
                Deduplication.buildQueryWithinWatermark(sales, "1 hour", "region").collectAsList())
        .isInstanceOf(AnalysisException.class)
        .hasMessageContaining(
            "dropDuplicatesWithinWatermark is not supported with batch DataFrames/DataSets");
  }
}
