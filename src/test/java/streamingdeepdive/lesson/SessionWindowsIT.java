package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.session_window;
import static org.apache.spark.sql.functions.when;
import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.apache.spark.sql.streaming.OutputMode.Complete;
import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.SessionWindowsTest.assertRefused;
import static streamingdeepdive.lesson.SessionWindowsTest.session;
import static streamingdeepdive.lesson.SessionWindowsTest.table;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.List;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.OutputMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.StreamingExtension;

/** Sessions at their edges, and what Spark refuses. */
@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class SessionWindowsIT {
  @Test
  void theNextSaleBelongsToItIfItComesAtMostTheGapLater(SparkSession spark) {
    assertThat(
            SessionWindows.buildQuery(
                    table(
                        spark,
                        sale("12:00", "eu", 1.0),
                        sale("12:05", "eu", 2.0),
                        sale("12:10:00.000001", "eu", 4.0)))
                .collectAsList())
        .containsExactlyInAnyOrder(
            session("12:00", "12:10", "eu", 2, 3.0),
            session("12:10:00.000001", "12:15:00.000001", "eu", 1, 4.0));
  }

  @Test
  void aTumblingWindowCutsBetweenTwoSales(SparkSession spark) {
    Dataset<Row> sales = table(spark, sale("12:04:59", "eu", 1.0), sale("12:05", "eu", 2.0));

    assertThat(SessionWindows.buildQuery(sales).count()).isEqualTo(1);
    assertThat(WindowedAggregation.buildQuery(sales).count()).isEqualTo(2);
  }

  @Test
  void aRowBehindTheWatermarkOpensASessionAnewIfItsOwnHasBeenOutput(InMemoryStream sales) {
    testStream(
        SessionWindows.buildQuery(sales.toDF()),
        Append(),
        add(sales, sale("12:01", "eu", 1.0)),
        add(sales, sale("12:16", "us", 2.0)).rows(session("12:01", "12:06", "eu", 1, 1.0)),
        add(sales, sale("12:05", "eu", 4.0)).rows().watermark("12:06").dropped(0).state(2),
        add(sales, sale("12:20", "us", 8.0)).rows(session("12:05", "12:10", "eu", 1, 4.0)));
  }

  @Test
  void aRowAsLateAsTheDelayThresholdMakesTwoSessionsOfOne(
      InMemoryStream sales, SparkSession spark) {
    testStream(
        SessionWindows.buildQuery(sales.toDF()),
        Append(),
        add(sales, sale("12:01", "eu", 1.0)),
        add(sales, sale("12:16", "us", 2.0))
            .rows(session("12:01", "12:06", "eu", 1, 1.0))
            .watermark("12:06"),
        add(sales, sale("12:06", "eu", 4.0)).dropped(0).state(2),
        add(sales, sale("12:22", "us", 8.0)).rows(session("12:06", "12:11", "eu", 1, 4.0)));

    assertThat(
            SessionWindows.buildQuery(
                    table(spark, sale("12:01", "eu", 1.0), sale("12:06", "eu", 4.0)))
                .collectAsList())
        .containsExactly(session("12:01", "12:11", "eu", 2, 5.0));
  }

  @Test
  void aSessionEndsWhenTheGapsOfAllItsSalesAreOver(SparkSession spark) {
    assertThat(
            SessionWindows.buildQuery(
                    table(spark, sale("12:00", "eu", 100.0), sale("12:03", "eu", 1.0)),
                    when(col("amount").geq(100), "30 minutes").otherwise("5 minutes"))
                .collectAsList())
        .containsExactly(session("12:00", "12:30", "eu", 2, 101.0));
  }

  @Test
  void aRowWithoutATimeOrAGapIsLeftOutAndNothingSaysSo(InMemoryStream sales) {
    Dataset<Row> sessions =
        SessionWindows.buildQuery(
            sales.toDF(),
            when(col("region").equalTo("eu"), "5 minutes")
                .when(col("region").equalTo("zero"), "0 minutes")
                .when(col("region").equalTo("negative"), "-5 minutes")
                .when(col("region").equalTo("no interval"), "five minutes"));
    testStream(
        sessions,
        Append(),
        add(
                sales,
                row(null, "eu", 1.0),
                sale("12:00", "zero", 1.0),
                sale("12:00", "negative", 1.0),
                sale("12:00", "no interval", 1.0),
                sale("12:00", "null", 1.0))
            .rows()
            .watermark("11:50")
            .state(0)
            .dropped(0),
        add(sales, sale("12:01", "eu", 2.0)).state(1),
        add(sales, sale("13:00", "zero", 1.0))
            .rows(session("12:01", "12:06", "eu", 1, 2.0))
            .watermark("12:50")
            .state(0)
            .dropped(0));
  }

  @Test
  void completeModeKeepsAllSessions(InMemoryStream sales) {
    testStream(
        SessionWindows.buildQuery(sales.toDF()),
        Complete(),
        add(sales, sale("12:00", "eu", 1.0)).rows(session("12:00", "12:05", "eu", 1, 1.0)),
        add(sales, sale("13:00", "us", 2.0))
            .rows(session("12:00", "12:05", "eu", 1, 1.0), session("13:00", "13:05", "us", 1, 2.0))
            .watermark("12:50")
            .state(2),
        add(sales, sale("12:04", "eu", 4.0))
            .rows(session("12:00", "12:09", "eu", 2, 5.0), session("13:00", "13:05", "us", 1, 2.0))
            .dropped(0));
  }

  @Test
  void appendModeWithoutAWatermarkIsRefused(InMemoryStream sales) {
    assertRefused(
        sales
            .toDF()
            .groupBy(session_window(col("event_time"), lit(SessionWindows.GAP)), col("region"))
            .count(),
        Append(),
        "Append output mode not supported when there are streaming aggregations on streaming"
            + " DataFrames/DataSets without watermark");
  }

  @Test
  void sessionsThatAreTheOnlyGroupingKeyAreRefused(InMemoryStream sales) {
    Dataset<Row> global =
        sales
            .toDF()
            .withWatermark("event_time", SessionWindows.DELAY_THRESHOLD)
            .groupBy(session_window(col("event_time"), SessionWindows.GAP))
            .count();
    for (OutputMode mode : List.of(Append(), Complete())) {
      testStream(
          global,
          mode,
          add(sales, sale("12:00", "eu", 1.0))
              .expectFailure(
                  AnalysisException.class,
                  "Global aggregation with session window in streaming query is not supported."));
    }
  }
}
