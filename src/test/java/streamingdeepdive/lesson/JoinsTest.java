package streamingdeepdive.lesson;

import static org.apache.spark.sql.streaming.OutputMode.Append;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.testkit.Rows.at;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.add;
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
import streamingdeepdive.testkit.StreamingExtension;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class JoinsTest {
  static Row refund(String time, String region, Double amount) {
    return row(at(time), region, amount);
  }

  static Row refunded(String time, String region, Double amount, String refundTime) {
    return row(at(time), region, amount, refundTime == null ? null : at(refundTime));
  }

  static Dataset<Row> regions(SparkSession spark) {
    return Joins.readRegions(spark, "sample-data/regions");
  }

  @Test
  void anUnknownRegionIsKept(SparkSession spark, FileStream sales) {
    testStream(
        Joins.withRegions(sales.toDF(), regions(spark)),
        Append(),
        add(sales, sale("12:00", "eu", 1.0), sale("12:00", "br", 2.0), sale("12:00", null, 3.0))
            .rows(
                row(at("12:00"), "eu", 1.0, "Europe", "EUR"),
                row(at("12:00"), "br", 2.0, null, null),
                row(at("12:00"), null, 3.0, null, null)));
  }

  @Test
  void aRefundMeetsItsSaleWhicheverComesFirst(
      InMemoryStream sales, @Columns(Joins.REFUND_SCHEMA) InMemoryStream refunds) {
    testStream(
        Joins.refunded(sales.toDF(), refunds.toDF()),
        Append(),
        add(sales, sale("12:00", "eu", 1.0)).rows().state(1),
        add(refunds, refund("12:30", "eu", 1.0))
            .rows(refunded("12:00", "eu", 1.0, "12:30"))
            .state(2),
        add(refunds, refund("12:31", "us", 1.0)).rows(),
        restart(),
        add(sales, sale("12:20", "us", 1.0)).rows(refunded("12:20", "us", 1.0, "12:31")));
  }

  @Test
  void aSaleWithoutRefundComesOutOnceTheWatermarkIsAnHourPastIt(
      InMemoryStream sales, @Columns(Joins.REFUND_SCHEMA) InMemoryStream refunds) {
    testStream(
        Joins.withRefunds(sales.toDF(), refunds.toDF()),
        Append(),
        add(sales, sale("12:00", "eu", 1.0), sale("12:00", "us", 2.0)).rows(),
        add(refunds, refund("12:30", "us", 2.0)).rows(refunded("12:00", "us", 2.0, "12:30")),
        add(sales, sale("14:00", "eu", 4.0)).rows().watermark("12:20"),
        // 13:00 is the last instant at which a refund can come.
        add(refunds, refund("13:10", "ap", 8.0)).rows().watermark("13:00"),
        add(refunds, refund("13:10:00.001", "ap", 8.0))
            .rows(refunded("12:00", "eu", 1.0, null))
            .watermark("13:00:00.001"));
  }

  @Test
  void theStateShrinksWithTheWatermark(
      InMemoryStream sales, @Columns(Joins.REFUND_SCHEMA) InMemoryStream refunds) {
    testStream(
        Joins.refunded(sales.toDF(), refunds.toDF()),
        Append(),
        add(sales, sale("12:00", "eu", 1.0), sale("12:40", "eu", 2.0)).state(2),
        add(refunds, refund("12:30", "us", 1.0), refund("12:50", "us", 2.0)).state(4),
        // The refund of 12:30 is older than every sale to come, and goes.
        add(sales, sale("12:45", "eu", 4.0)).watermark("12:35").state(4),
        // So are the one of 12:50 and, with their hour, the sales of 12:00 and 12:40.
        add(sales, sale("14:00", "eu", 8.0)).watermark("12:40"),
        add(refunds, refund("14:00", "us", 4.0)).watermark("13:50").state(2));
  }
}
