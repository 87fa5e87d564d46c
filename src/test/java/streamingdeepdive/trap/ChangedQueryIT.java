package streamingdeepdive.trap;

import static org.apache.spark.sql.functions.avg;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.window;
import static streamingdeepdive.testkit.Rows.at;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.Rows.window;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.stop;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.function.UnaryOperator;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.lesson.Deduplication;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.ParquetSink;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.Step;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

/** The changes that {@link ChangedQueryTest} leaves out. */
@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class ChangedQueryIT {
  private SparkSession spark;
  private String output;
  private UnaryOperator<Dataset<Row>> query;

  @BeforeEach
  void startWithTotals(TestSession session) {
    spark = session.spark();
    output = session.newDirectory().resolve("output").toString();
    query = WindowedAggregation::buildQuery;
  }

  /** Two sales are added up, then the query is changed and a third one comes. */
  private void change(FileStream sales, UnaryOperator<Dataset<Row>> changed, Step third) {
    testStream(
        checkpoint ->
            ChangedQuery.buildQueryForAnyCheckpoint(query.apply(sales.toDF()), output, checkpoint),
        () -> ParquetSink.latest(spark, output),
        add(sales, sale("12:01", 2.0)).rows(total("12:00", "12:05", 2.0)),
        add(sales, sale("12:02", 3.0)).rows(total("12:00", "12:05", 5.0)),
        stop(),
        check(() -> query = changed),
        start(),
        third);
  }

  private static Row sale(String time, double amount) {
    return row(at(time), "eu", amount);
  }

  private static Row total(String start, String end, double total) {
    return row(window(start, end), "eu", total);
  }

  @Test
  void longerWindowsLackTheSalesBeforeTheChange(FileStream sales) {
    change(
        sales,
        ChangedQuery::longerWindows,
        add(sales, sale("12:03", 4.0))
            .rows(total("12:00", "12:05", 5.0), total("12:00", "12:10", 4.0)));
  }

  @Test
  void withoutTheAggregationItsStateIsForgotten(FileStream sales) {
    change(
        sales,
        ChangedQuery::singleSales,
        add(sales, sale("12:03", 4.0)).rows(total("12:00", "12:05", 4.0)));
  }

  @Test
  void anotherDelayThresholdIsTaken(FileStream sales) {
    change(
        sales,
        events -> WindowedAggregation.buildQuery(events, "1 minute", "5 minutes"),
        add(sales, sale("12:06", 4.0))
            .rows(total("12:00", "12:05", 5.0), total("12:05", "12:10", 4.0))
            .watermark("12:05"));
  }

  @Test
  void aFilterIsTaken(FileStream sales) {
    change(
        sales,
        events -> WindowedAggregation.buildQuery(events.where("amount < 4")),
        add(sales, sale("12:03", 4.0)).rows(total("12:00", "12:05", 5.0)));
  }

  @Test
  void anAverageKillsTheQuery(FileStream sales) {
    change(
        sales,
        events ->
            events
                .withWatermark("event_time", "10 minutes")
                .groupBy(window(col("event_time"), "5 minutes").as("window"), col("region"))
                .agg(avg("amount").as("total_amount")),
        add(sales, sale("12:03", 4.0))
            .expectFailure(
                Exception.class, "Provided schema doesn't match to the schema for existing state"));
  }

  @Test
  void aDeduplicationKillsTheQuery(FileStream sales) {
    change(
        sales,
        events -> ChangedQuery.singleSales(Deduplication.buildQuery(events)),
        // Which of its two checks of the state finds it first is a matter of time.
        add(sales, sale("12:03", 4.0)).expectFailure(Exception.class, "state"));
  }
}
