package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.session_window;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.window;
import static org.apache.spark.sql.functions.window_time;
import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.apache.spark.sql.streaming.OutputMode.Complete;
import static org.apache.spark.sql.streaming.OutputMode.Update;
import static streamingdeepdive.lesson.ChainedOperatorsTest.CORRECTNESS;
import static streamingdeepdive.lesson.ChainedOperatorsTest.assertRefused;
import static streamingdeepdive.lesson.ChainedOperatorsTest.hour;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.Rows.at;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.Rows.window;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.List;
import org.apache.spark.api.java.function.FlatMapGroupsWithStateFunction;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.GroupStateTimeout;
import org.apache.spark.sql.streaming.OutputMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.StreamingExtension;

/** The other chains, those that Spark refuses, and what an operator does to the next one. */
@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class ChainedOperatorsIT {
  @Test
  void aDeduplicationBeforeAnAggregationRunsInCompleteMode(InMemoryStream sales) {
    testStream(
        ChainedOperators.perFiveMinutesWithoutDuplicates(sales.toDF()),
        Complete(),
        add(sales, sale("12:01", "eu", 1.0)).rows(total("12:00", "12:05", "eu", 1.0)),
        add(sales, sale("12:01", "eu", 1.0), sale("12:06", "us", 2.0))
            .rows(total("12:00", "12:05", "eu", 1.0), total("12:05", "12:10", "us", 2.0))
            .duplicates(1));
  }

  @Test
  void aWindowOfTheWindowIsTheSame(InMemoryStream sales) {
    testStream(
        WindowedAggregation.buildQuery(sales.toDF())
            .groupBy(window(col("window"), ChainedOperators.HOUR), col("region"))
            .agg(sum("total_amount")),
        Append(),
        add(sales, sale("12:01", "eu", 1.0), sale("12:59", "eu", 2.0)),
        add(sales, sale("13:10", "us", 4.0)).rows(total("12:00", "13:00", "eu", 3.0)).state(1, 0));
  }

  @Test
  void hoursOfSessions(InMemoryStream sales) {
    testStream(
        SessionWindows.buildQuery(sales.toDF())
            .groupBy(window(window_time(col("session")), ChainedOperators.HOUR), col("region"))
            .agg(sum("total_amount")),
        Append(),
        add(sales, sale("12:01", "eu", 1.0), sale("12:30", "eu", 2.0)).state(1, 1),
        // A session is in the hour in which it ends.
        add(sales, sale("12:58", "eu", 4.0)).watermark("12:48").state(1, 1),
        add(sales, sale("13:13", "us", 8.0))
            .rows(total("12:00", "13:00", "eu", 3.0))
            .watermark("13:03")
            .state(1, 1));
  }

  @Test
  void sessionsOfTotals(InMemoryStream sales) {
    testStream(
        WindowedAggregation.buildQuery(sales.toDF())
            .groupBy(session_window(window_time(col("window")), "6 minutes"), col("region"))
            .agg(sum("total_amount")),
        Append(),
        add(sales, sale("12:01", "eu", 1.0), sale("12:06", "eu", 2.0), sale("12:21", "eu", 4.0)),
        add(sales, sale("12:41", "us", 8.0))
            .watermark("12:31")
            .state(1, 0)
            .rows(
                total("12:04:59.999999", "12:15:59.999999", "eu", 3.0),
                total("12:24:59.999999", "12:30:59.999999", "eu", 4.0)));
  }

  @Test
  void aDeduplicationOfTotals(InMemoryStream sales) {
    testStream(
        WindowedAggregation.buildQuery(sales.toDF())
            .select("window", "total_amount")
            .dropDuplicates(),
        Append(),
        add(sales, sale("12:01", "eu", 1.0), sale("12:01", "us", 1.0)).state(2, 0),
        add(sales, sale("12:20", "us", 2.0))
            .rows(row(window("12:00", "12:05"), 1.0))
            .duplicates(1));
  }

  @Test
  void aJoinOfTotals(InMemoryStream sales) {
    Dataset<Row> totals = WindowedAggregation.buildQuery(sales.toDF());
    Dataset<Row> eu = totals.where("region = 'eu'").select(col("window"), col("total_amount"));
    Dataset<Row> us = totals.where("region = 'us'").select(col("window"), col("total_amount"));
    testStream(
        eu.join(us, "window"),
        Append(),
        add(sales, sale("12:01", "eu", 1.0), sale("12:01", "us", 2.0), sale("12:06", "us", 4.0)),
        // Spark filters before the watermark, so each region has one of its own.
        add(sales, sale("12:20", "us", 8.0)).rows().watermark("11:51"),
        add(sales, sale("12:20", "eu", 8.0))
            .rows(row(window("12:00", "12:05"), 1.0, 2.0))
            .watermark("12:10"));
  }

  @Test
  void daysOfHoursOfFiveMinutes(InMemoryStream sales) {
    testStream(
        ChainedOperators.buildQuery(sales.toDF())
            .groupBy(window(window_time(col("hour")), "1 day"), col("region"))
            .agg(sum("total_amount")),
        Append(),
        add(sales, sale("12:01", "eu", 1.0), sale("23:59", "eu", 2.0)).state(1, 0, 1),
        add(sales, sale("2026-01-02 00:10", "us", 4.0))
            .rows(total("2026-01-01", "2026-01-02", "eu", 3.0))
            .state(1, 0, 0));
  }

  @Test
  void anAggregationBehindAJoinWaitsForItsTimeBound(
      InMemoryStream sales, @Columns(Joins.REFUND_SCHEMA) InMemoryStream refunds) {
    testStream(
        Watermark.buildQueryWithoutWatermark(Joins.withRefunds(sales.toDF(), refunds.toDF())),
        Append(),
        add(sales, sale("12:01", "eu", 1.0)).and(refunds, JoinsTest.refund("12:10", "eu", 1.0)),
        // The window ends at 12:05.
        add(sales, sale("13:15", "ap", 2.0))
            .and(refunds, JoinsTest.refund("13:15", "us", 2.0))
            .rows()
            .watermark("13:05"),
        add(sales, sale("13:15:00.001", "ap", 2.0))
            .and(refunds, JoinsTest.refund("13:15:00.001", "us", 2.0))
            .rows(total("12:00", "12:05", "eu", 1.0))
            .watermark("13:05:00.001")
            .dropped(0, 0));
  }

  @Test
  void withTheCheckSwitchedOffCompleteModeAddsAllTotalsAgain(
      InMemoryStream sales, SparkSession spark) {
    spark.conf().set("spark.sql.streaming.statefulOperator.checkCorrectness.enabled", false);
    testStream(
        ChainedOperators.buildQuery(sales.toDF()),
        Complete(),
        add(sales, sale("12:01", "eu", 1.0)).rows(hour("12:00", "13:00", "eu", 1.0, 1.0)),
        add(sales, sale("12:07", "us", 2.0))
            .rows(hour("12:00", "13:00", "eu", 2.0, 1.0), hour("12:00", "13:00", "us", 2.0, 2.0)));
  }

  @Test
  void aDeduplicationDropsEachRowBehindTheWatermark(InMemoryStream sales) {
    testStream(
        ChainedOperators.buildQueryWithoutDuplicates(sales.toDF()),
        Append(),
        add(sales, sale("12:01", "eu", 1.0), sale("12:01", "eu", 1.0), sale("12:14", "eu", 2.0))
            .rows()
            .watermark("12:04")
            .state(1, 2, 0)
            .duplicates(1),
        // Its window is open.
        add(sales, sale("12:03", "eu", 1000.0)).rows().dropped(1, 0, 0).state(1, 2, 0),
        add(sales, sale("12:04:00.001", "eu", 4.0)).rows().dropped(0, 0, 0).state(2, 2, 0),
        add(sales, sale("13:10", "us", 8.0))
            .rows(hour("12:00", "13:00", "eu", 7.0, 5.0))
            .watermark("13:00")
            .state(1, 1, 0));
  }

  @Test
  void withTheCheckSwitchedOffATotalThatIsUpdatedIsAddedAgain(
      InMemoryStream sales, SparkSession spark) {
    spark.conf().set("spark.sql.streaming.statefulOperator.checkCorrectness.enabled", false);
    testStream(
        ChainedOperators.buildQuery(sales.toDF()),
        Update(),
        add(sales, sale("12:01", "eu", 1.0)).rows(hour("12:00", "13:00", "eu", 1.0, 1.0)),
        // 3.0 were sold.
        add(sales, sale("12:02", "eu", 2.0)).rows(hour("12:00", "13:00", "eu", 4.0, 3.0)));
  }

  @Test
  void aDeduplicationOfAnAggregationIsRefusedInUpdateAndCompleteMode(InMemoryStream sales) {
    Dataset<Row> query =
        WindowedAggregation.buildQuery(sales.toDF()).dropDuplicates("window", "region");
    assertRefused(query, Update(), CORRECTNESS);
    assertRefused(query, Complete(), CORRECTNESS);
  }

  @Test
  void aJoinIsRefusedInUpdateAndCompleteMode(
      InMemoryStream sales, @Columns(Joins.REFUND_SCHEMA) InMemoryStream refunds) {
    Dataset<Row> query =
        Watermark.buildQueryWithoutWatermark(Joins.withRefunds(sales.toDF(), refunds.toDF()));
    for (OutputMode mode : List.of(Update(), Complete())) {
      assertRefused(
          query,
          mode,
          "Join between two streaming DataFrames/Datasets is not supported in "
              + mode
              + " output mode, only in Append output mode");
    }
  }

  @Test
  void behindATimeoutAnAggregationIsRefusedInEveryMode(InMemoryStream sales) {
    Dataset<Row> totals = WindowedAggregation.buildQuery(withTimeout(sales.toDF()));
    for (OutputMode mode : List.of(Append(), Update(), Complete())) {
      assertRefused(totals, mode, CORRECTNESS);
    }
  }

  /** As {@link Deduplication} has one, so has {@link WindowedAggregation}. */
  @Test
  void aSecondWatermarkIsRefused(InMemoryStream sales) {
    testStream(
        WindowedAggregation.buildQuery(Deduplication.buildQuery(sales.toDF())),
        Append(),
        add(sales, sale("12:01", "eu", 1.0))
            .expectFailure(AnalysisException.class, "Redefining watermark is disallowed."));
  }

  @Test
  void theStartOfTheWindowHasNoWatermark(InMemoryStream sales) {
    assertRefused(
        WindowedAggregation.buildQuery(sales.toDF())
            .groupBy(window(col("window.start"), ChainedOperators.HOUR), col("region"))
            .agg(sum("total_amount")),
        Append(),
        "Append output mode not supported when there are streaming aggregations on streaming"
            + " DataFrames/DataSets without watermark");
  }

  @Test
  void windowTimeIsAMicrosecondBeforeTheEndOfTheWindow(InMemoryStream sales) {
    testStream(
        WindowedAggregation.buildQuery(sales.toDF()).select(window_time(col("window"))),
        Update(),
        add(sales, sale("12:01", "eu", 1.0)).rows(row(at("12:04:59.999999"))));
  }

  @Test
  void behindAnAggregationFlatMapGroupsWithStateIsForAppendMode(InMemoryStream sales) {
    for (GroupStateTimeout timeout :
        List.of(GroupStateTimeout.NoTimeout(), GroupStateTimeout.EventTimeTimeout())) {
      Dataset<Row> query = keep(WindowedAggregation.buildQuery(sales.toDF()), timeout);
      assertRefused(query, Update(), CORRECTNESS);
      assertRefused(query, Complete(), CORRECTNESS);
    }
    testStream(
        keep(WindowedAggregation.buildQuery(sales.toDF()), GroupStateTimeout.EventTimeTimeout()),
        Append(),
        add(sales, sale("12:01", "eu", 1.0)).rows().state(1, 0),
        add(sales, sale("12:20", "us", 2.0))
            .rows(total("12:00", "12:05", "eu", 1.0))
            .watermark("12:10")
            .dropped(0, 0));
  }

  @Test
  void behindOneWithoutATimeoutAnAggregationHasNoWatermark(InMemoryStream sales) {
    Dataset<Row> query =
        Watermark.buildQueryWithoutWatermark(
            keep(
                sales.toDF().withWatermark("event_time", "10 minutes"),
                GroupStateTimeout.NoTimeout()));
    assertRefused(
        query,
        Append(),
        "Append output mode not supported when there are streaming aggregations on streaming"
            + " DataFrames/DataSets without watermark");
    testStream(
        query,
        Update(),
        add(sales, sale("12:01", "eu", 1.0)).rows(total("12:00", "12:05", "eu", 1.0)),
        add(sales, sale("13:01", "eu", 2.0)).state(0, 2));
  }

  @Test
  void aDeduplicationOfAJoinIsForAppendMode(
      InMemoryStream sales, @Columns(Joins.REFUND_SCHEMA) InMemoryStream refunds) {
    testStream(
        Joins.refunded(sales.toDF(), refunds.toDF())
            .drop("refund_time")
            .dropDuplicates("event_time", "region"),
        Append(),
        add(sales, sale("12:01", "eu", 1.0), sale("12:01", "eu", 1.0))
            .and(refunds, JoinsTest.refund("12:10", "eu", 1.0))
            .rows(sale("12:01", "eu", 1.0))
            .duplicates(1));
  }

  @Test
  void behindAJoinOneTimeMustGo(
      InMemoryStream sales, @Columns(Joins.REFUND_SCHEMA) InMemoryStream refunds) {
    testStream(
        Joins.refunded(sales.toDF(), refunds.toDF()).dropDuplicates("event_time", "region"),
        Append(),
        add(sales, sale("12:01", "eu", 1.0))
            .and(refunds, JoinsTest.refund("12:10", "eu", 1.0))
            .expectFailure(
                AnalysisException.class, "More than one event time columns are available."));
  }

  @Test
  void aJoinOfAJoinIsForAppendMode(
      InMemoryStream sales,
      @Columns(Joins.REFUND_SCHEMA) InMemoryStream refunds,
      @Columns("paid_time TIMESTAMP, region STRING") InMemoryStream payments) {
    testStream(
        Joins.refunded(sales.toDF(), refunds.toDF())
            .drop("refund_time")
            .join(payments.toDF().withWatermark("paid_time", "10 minutes"), "region"),
        Append(),
        add(sales, sale("12:01", "eu", 1.0))
            .and(refunds, JoinsTest.refund("12:10", "eu", 1.0))
            .and(payments, row(at("12:12"), "eu"))
            .rows(row("eu", at("12:01"), 1.0, at("12:12"))));
  }

  private static Dataset<Row> withTimeout(Dataset<Row> sales) {
    return keep(
        sales.withWatermark("event_time", "10 minutes"), GroupStateTimeout.EventTimeTimeout());
  }

  private static Dataset<Row> keep(Dataset<Row> rows, GroupStateTimeout timeout) {
    FlatMapGroupsWithStateFunction<String, Row, Integer, Row> all = (region, group, state) -> group;
    return rows.groupByKey((MapFunction<Row, String>) row -> row.getAs("region"), Encoders.STRING())
        .flatMapGroupsWithState(
            all, Append(), Encoders.INT(), Encoders.row(rows.schema()), timeout);
  }
}
