package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.JoinsTest.refund;
import static streamingdeepdive.lesson.JoinsTest.refunded;
import static streamingdeepdive.lesson.JoinsTest.regions;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.testkit.Rows.at;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.add;
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
import streamingdeepdive.testkit.StreamingExtension;

/** Joins at their edges, and as a batch. */
@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class JoinsIT {
  @Test
  void anotherRegionAmountOrHourIsNoPartner(
      InMemoryStream sales, @Columns(Joins.REFUND_SCHEMA) InMemoryStream refunds) {
    testStream(
        Joins.refunded(sales.toDF(), refunds.toDF()),
        Append(),
        add(sales, sale("12:00", "eu", 1.0)),
        add(refunds, refund("12:30", "us", 1.0), refund("12:30", "eu", 2.0)).rows(),
        add(refunds, refund("11:59:59.999", "eu", 1.0), refund("13:00:00.001", "eu", 1.0)).rows(),
        add(refunds, refund("12:00", "eu", 1.0), refund("13:00", "eu", 1.0))
            .rows(refunded("12:00", "eu", 1.0, "12:00"), refunded("12:00", "eu", 1.0, "13:00")));
  }

  @Test
  void withoutATimeBoundTheStateOnlyGrows(
      InMemoryStream sales, @Columns(Joins.REFUND_SCHEMA) InMemoryStream refunds) {
    Dataset<Row> unbound =
        sales
            .toDF()
            .withWatermark("event_time", "10 minutes")
            .join(
                refunds.toDF().withWatermark("refund_time", "10 minutes").drop("amount"), "region");
    testStream(
        unbound,
        Append(),
        add(sales, sale("12:00", "eu", 1.0)).state(1),
        add(refunds, refund("18:00", "us", 1.0)).state(2),
        add(sales, sale("18:00", "eu", 2.0)).watermark("17:50").state(3));
  }

  @Test
  void anInputThatStaysEmptyHoldsTheOther(
      InMemoryStream sales, @Columns(Joins.REFUND_SCHEMA) InMemoryStream refunds) {
    testStream(
        Joins.withRefunds(sales.toDF(), refunds.toDF()),
        Append(),
        add(sales, sale("12:00", "eu", 1.0)).rows(),
        add(sales, sale("20:00", "eu", 2.0)).rows().watermark("1970-01-01T00:00").state(2));
  }

  @Test
  void batchDatasetsAreJoinedAtOnce(SparkSession spark) {
    Dataset<Row> sales =
        spark.createDataFrame(
            List.of(sale("12:00", "eu", 1.0), sale("12:00", "br", 2.0)),
            StructType.fromDDL(FileSource.SCHEMA));
    Dataset<Row> refunds =
        spark.createDataFrame(
            List.of(refund("12:30", "br", 2.0)), StructType.fromDDL(Joins.REFUND_SCHEMA));

    assertThat(
            Joins.withRefunds(Joins.withRegions(sales, regions(spark)), refunds)
                .orderBy(col("amount"))
                .collectAsList())
        .containsExactly(
            row(at("12:00"), "eu", 1.0, "Europe", "EUR", null),
            row(at("12:00"), "br", 2.0, null, null, at("12:30")));
  }

  @Test
  void refundsAreReadInUtcOneFilePerMicroBatch(
      SparkSession spark, @Columns(Joins.REFUND_SCHEMA) FileStream refunds) {
    spark.conf().set("spark.sql.session.timeZone", "America/New_York");
    refunds.addLines("{\"refund_time\":\"2026-01-01T12:30:00\",\"region\":\"eu\",\"amount\":1.0}");

    testStream(
        Joins.readRefunds(spark, refunds.directory()),
        Append(),
        add(refunds, refund("12:31", "us", 2.0))
            .rows(refund("12:30", "eu", 1.0), refund("12:31", "us", 2.0))
            .microBatches(2));
  }

  @Test
  void aRowThatIsLateIsDroppedOnEitherSide(
      InMemoryStream sales, @Columns(Joins.REFUND_SCHEMA) InMemoryStream refunds) {
    testStream(
        Joins.withRefunds(sales.toDF(), refunds.toDF()),
        Append(),
        add(sales, sale("12:10", "eu", 1.0)),
        add(refunds, refund("12:10", "ap", 1.0)).watermark("12:00").state(2),
        add(sales, sale("12:00", "us", 2.0)).rows().dropped(1).state(2),
        add(refunds, refund("12:00", "us", 2.0)).rows().dropped(1).state(2),
        add(sales, sale("12:00:00.001", "us", 2.0)).dropped(0).state(3),
        add(refunds, refund("12:00:00.001", "us", 2.0))
            .rows(refunded("12:00:00.001", "us", 2.0, "12:00:00.001"))
            .dropped(0));
  }
}
