package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.window;
import static org.apache.spark.sql.functions.window_time;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;

/**
 * Stateful operators one behind the other. How much was sold per hour, and in its best five
 * minutes?
 *
 * <p>That is an aggregation of an aggregation. {@code window_time} gives a total the event time
 * that has the watermark, a microsecond before the end of its window:
 *
 * <pre>{@code
 * == 07-an-hour-later.json
 * {"event_time":"2026-01-01T13:20:00Z","region":"br","amount":6.0}
 * -- as delivered
 * +------------------------------------------+------+------------+-----------------+
 * |hour                                      |region|total_amount|best_five_minutes|
 * +------------------------------------------+------+------------+-----------------+
 * |{2026-01-01 12:00:00, 2026-01-01 13:00:00}|ap    |4.0         |4.0              |
 * |{2026-01-01 12:00:00, 2026-01-01 13:00:00}|eu    |117.0       |115.0            |
 * |{2026-01-01 12:00:00, 2026-01-01 13:00:00}|us    |35.0        |20.0             |
 * +------------------------------------------+------+------------+-----------------+
 * watermark 2026-01-01 13:10:00, state rows 1 (4 updated), rows dropped as late 0
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/ChainedOperators.txt">ChainedOperators.txt</a>. Each
 * operator has its own state. When the watermark reaches 13:00, the last five-minute totals reach
 * the hour, and the hour is output, in the same micro-batch. Only the first operator drops late
 * rows. A deduplication drops every row behind the watermark, such as 100.0 of {@code
 * 03-late-but-counted.json}. A join with a time bound of an hour outputs rows up to an hour late,
 * and an aggregation behind it waits for them.
 *
 * <p>Spark 3.5 starts a deduplication before an aggregation in every mode. In append mode it starts
 * an aggregation, also of sessions, before another one, a deduplication, a join or {@code
 * flatMapGroupsWithState}, and a join before an aggregation, a deduplication or another join. In
 * update and complete mode it refuses an operator behind an aggregation, and in all modes an
 * aggregation behind {@code flatMapGroupsWithState} with an event-time timeout: {@code Detected
 * pattern of possible 'correctness' issue due to global watermark.} The sentence goes on with a
 * setting that switches the check off: then a total that is updated is added again. A join is
 * refused with {@code Join between two streaming DataFrames/Datasets is not supported in Update
 * output mode, only in Append output mode}, a second {@code withWatermark} with {@code Redefining
 * watermark is disallowed.} Behind a join, both times have the watermark, and the query dies with
 * {@code More than one event time columns are available} unless one column is dropped. In update
 * mode a single aggregation gives the totals per hour.
 *
 * <p>Before: {@link SessionWindows}. Next: {@link ArbitraryState}. Trap: {@link
 * streamingdeepdive.trap.LostWatermark}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#representation-of-the-time-for-time-window">
 *     Guide: Representation of the time for time window</a>
 */
public final class ChainedOperators {
  /** How much event time an hourly total spans; a multiple of that of a total before it. */
  public static final String HOUR = "1 hour";

  /** The columns of the hourly totals, as DDL. */
  public static final String SCHEMA =
      "hour STRUCT<start: TIMESTAMP, end: TIMESTAMP>, region STRING, total_amount DOUBLE,"
          + " best_five_minutes DOUBLE";

  private ChainedOperators() {}

  /**
   * Adds up amounts per five minutes, then per hour: two aggregations.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch; a stream only in append mode
   * @return {@link #SCHEMA}; {@code best_five_minutes} is the largest of the five-minute totals
   */
  public static Dataset<Row> buildQuery(Dataset<Row> events) {
    return perHour(WindowedAggregation.buildQuery(events));
  }

  /**
   * The same over sales that are counted once, however often they are delivered: a deduplication
   * and two aggregations, with a delay threshold of {@value WindowedAggregation#DELAY_THRESHOLD}.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch; a stream only in append mode
   * @return {@link #SCHEMA}
   */
  public static Dataset<Row> buildQueryWithoutDuplicates(Dataset<Row> events) {
    return perHour(perFiveMinutesWithoutDuplicates(events));
  }

  /**
   * A deduplication and one aggregation, with a delay threshold of {@value
   * WindowedAggregation#DELAY_THRESHOLD}.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch; a stream in every output mode
   * @return {@link WindowedAggregation#SCHEMA}
   */
  public static Dataset<Row> perFiveMinutesWithoutDuplicates(Dataset<Row> events) {
    Dataset<Row> sales =
        Deduplication.buildQuery(
            events, WindowedAggregation.DELAY_THRESHOLD, "region", "amount", "event_time");
    return Watermark.buildQueryWithoutWatermark(sales); // the deduplication has set it
  }

  private static Dataset<Row> perHour(Dataset<Row> totals) {
    return totals
        .groupBy(window(window_time(col("window")), HOUR).as("hour"), col("region"))
        .agg(sum("total_amount").as("total_amount"), max("total_amount").as("best_five_minutes"));
  }

  /**
   * Prints the hourly totals, with and without duplicates, in append mode.
   *
   * @param args none for the sample data, or {@code --input} and {@code --checkpoint}
   * @throws Exception if the query cannot start or fails
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson =
        LessonRun.open(
            args,
            "Adds up sales per hour by way of totals per five minutes.",
            "input",
            "checkpoint")) {
      Dataset<Row> sales = FileSource.read(lesson.spark(), lesson.input("sales"));
      lesson.replay(
          start(lesson, "as delivered", buildQuery(sales)),
          start(lesson, "without duplicates", buildQueryWithoutDuplicates(sales)));
    }
  }

  private static StreamingQuery start(LessonRun lesson, String name, Dataset<Row> totals)
      throws Exception {
    return totals
        .writeStream()
        .queryName(name)
        .outputMode(OutputMode.Append())
        .foreachBatch(lesson::print)
        .option("checkpointLocation", lesson.checkpoint(name))
        .start();
  }
}
