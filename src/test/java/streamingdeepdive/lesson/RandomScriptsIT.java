package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.streaming.OutputMode.Append;
import static streamingdeepdive.lesson.JoinsTest.refund;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.random;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.time.Duration;
import java.time.LocalTime;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.StreamingExtension;

/** However often a query stops, starts and crashes, it ends in the rows of the batch query. */
@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class RandomScriptsIT {
  /** Each second one comes twice. */
  private static final List<Row> SALES =
      IntStream.range(0, 16).mapToObj(i -> saleAt(4 * (i / 3 * 2 + i % 3 / 2), "eu")).toList();

  /** So much later that all before it is final. */
  private static final Row LAST = sale("2026-01-02", "ap", 0.0);

  private static Row saleAt(int minutes, String region) {
    return sale(LocalTime.NOON.plusMinutes(minutes).toString(), region, 1.0 + minutes);
  }

  private static List<Row> batch(
      SparkSession spark, List<Row> sales, UnaryOperator<Dataset<Row>> query) {
    return query
        .apply(spark.createDataFrame(sales, StructType.fromDDL(FileSource.SCHEMA)))
        .collectAsList();
  }

  @Test
  void windows(InMemoryStream sales, SparkSession spark) {
    testStream(
        WindowedAggregation.buildQuery(sales.toDF()),
        Append(),
        random(1, sales, SALES),
        add(sales, LAST).allRows(batch(spark, SALES, WindowedAggregation::buildQuery)));
  }

  @Test
  void numberedAlerts(InMemoryStream sales, SparkSession spark) {
    UnaryOperator<Dataset<Row>> query =
        events -> ArbitraryState.buildQuery(events, "10 minutes", Duration.ofMinutes(3));
    testStream(
        query.apply(sales.toDF()),
        Append(),
        random(6, sales, SALES),
        add(sales, LAST).allRows(batch(spark, SALES, query)));
  }

  @Test
  void slidingWindows(InMemoryStream sales, SparkSession spark) {
    testStream(
        SlidingWindows.buildQuery(sales.toDF()),
        Append(),
        random(2, sales, SALES),
        add(sales, LAST).allRows(batch(spark, SALES, SlidingWindows::buildQuery)));
  }

  @Test
  void deduplication(InMemoryStream sales, SparkSession spark) {
    testStream(
        Deduplication.buildQuery(sales.toDF()),
        Append(),
        random(3, sales, SALES).allRows(batch(spark, SALES, Deduplication::buildQuery)));
  }

  @Test
  void deduplicationWithinTheWatermark(InMemoryStream sales, SparkSession spark) {
    testStream(
        Deduplication.buildQueryWithinWatermark(
            sales.toDF(), "1 hour", "event_time", "region", "amount"),
        Append(),
        random(4, sales, SALES).allRows(batch(spark, SALES, Deduplication::buildQuery)));
  }

  @Test
  void sessions(InMemoryStream sales, SparkSession spark) {
    testStream(
        SessionWindows.buildQuery(sales.toDF(), lit("3 minutes")),
        Append(),
        random(7, sales, SALES),
        add(sales, LAST)
            .allRows(
                batch(spark, SALES, batch -> SessionWindows.buildQuery(batch, lit("3 minutes")))));
  }

  @Test
  void chainedOperators(InMemoryStream sales, SparkSession spark) {
    testStream(
        ChainedOperators.buildQueryWithoutDuplicates(sales.toDF()),
        Append(),
        random(8, sales, SALES),
        add(sales, LAST)
            .allRows(batch(spark, SALES, ChainedOperators::buildQueryWithoutDuplicates)));
  }

  /** The refunds are there before the sales. */
  @Test
  void joins(
      InMemoryStream sales,
      @Columns(Joins.REFUND_SCHEMA) InMemoryStream refunds,
      SparkSession spark) {
    List<Row> some = Stream.of(0, 8, 16).map(i -> refund("12:20", "eu", 1.0 + i)).toList();
    StructType schema = StructType.fromDDL(Joins.REFUND_SCHEMA);
    testStream(
        Joins.withRefunds(sales.toDF(), refunds.toDF()),
        Append(),
        add(refunds, some),
        random(5, sales, SALES),
        add(sales, LAST)
            .and(refunds, refund("2026-01-02", "us", 0.0))
            .allRows(
                batch(
                    spark,
                    SALES,
                    batch -> Joins.withRefunds(batch, spark.createDataFrame(some, schema)))));
  }
}
