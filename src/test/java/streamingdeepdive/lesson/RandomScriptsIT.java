package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.streaming.OutputMode.Append;
import static streamingdeepdive.lesson.JoinsTest.refund;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.random;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.time.LocalTime;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
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

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void windows(long seed, InMemoryStream sales, SparkSession spark) {
    testStream(
        WindowedAggregation.buildQuery(sales.toDF()),
        Append(),
        random(seed, sales, SALES),
        add(sales, LAST).allRows(batch(spark, SALES, WindowedAggregation::buildQuery)));
  }

  @ParameterizedTest
  @ValueSource(longs = {3, 4})
  void slidingWindows(long seed, InMemoryStream sales, SparkSession spark) {
    testStream(
        SlidingWindows.buildQuery(sales.toDF()),
        Append(),
        random(seed, sales, SALES),
        add(sales, LAST).allRows(batch(spark, SALES, SlidingWindows::buildQuery)));
  }

  @ParameterizedTest
  @ValueSource(longs = {5, 6})
  void deduplication(long seed, InMemoryStream sales, SparkSession spark) {
    testStream(
        Deduplication.buildQuery(sales.toDF()),
        Append(),
        random(seed, sales, SALES).allRows(batch(spark, SALES, Deduplication::buildQuery)));
  }

  @ParameterizedTest
  @ValueSource(longs = {7, 8})
  void deduplicationWithinTheWatermark(long seed, InMemoryStream sales, SparkSession spark) {
    testStream(
        Deduplication.buildQueryWithinWatermark(
            sales.toDF(), "1 hour", "event_time", "region", "amount"),
        Append(),
        random(seed, sales, SALES).allRows(batch(spark, SALES, Deduplication::buildQuery)));
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12})
  void sessions(long seed, InMemoryStream sales, SparkSession spark) {
    testStream(
        SessionWindows.buildQuery(sales.toDF(), lit("3 minutes")),
        Append(),
        random(seed, sales, SALES),
        add(sales, LAST)
            .allRows(
                batch(spark, SALES, batch -> SessionWindows.buildQuery(batch, lit("3 minutes")))));
  }

  @ParameterizedTest
  @ValueSource(longs = {13, 14})
  void chainedOperators(long seed, InMemoryStream sales, SparkSession spark) {
    testStream(
        ChainedOperators.buildQueryWithoutDuplicates(sales.toDF()),
        Append(),
        random(seed, sales, SALES),
        add(sales, LAST)
            .allRows(batch(spark, SALES, ChainedOperators::buildQueryWithoutDuplicates)));
  }

  /** The refunds are there before the sales. */
  @ParameterizedTest
  @ValueSource(longs = {9, 10})
  void joins(
      long seed,
      InMemoryStream sales,
      @Columns(Joins.REFUND_SCHEMA) InMemoryStream refunds,
      SparkSession spark) {
    List<Row> some = Stream.of(0, 8, 16).map(i -> refund("12:20", "eu", 1.0 + i)).toList();
    StructType schema = StructType.fromDDL(Joins.REFUND_SCHEMA);
    testStream(
        Joins.withRefunds(sales.toDF(), refunds.toDF()),
        Append(),
        add(refunds, some),
        random(seed, sales, SALES),
        add(sales, LAST)
            .and(refunds, refund("2026-01-02", "us", 0.0))
            .allRows(
                batch(
                    spark,
                    SALES,
                    batch -> Joins.withRefunds(batch, spark.createDataFrame(some, schema)))));
  }
}
