package streamingdeepdive.trap;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.window;

import java.util.function.UnaryOperator;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.ParquetSink;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.recovery.QuerySignature;

/**
 * A changed query on an old checkpoint. What does Spark do with state that another query left?
 *
 * <p>It compares only the types of the columns in the state. Here the sum becomes a maximum after
 * two files, and Spark starts without an error. The 9.0 of {@code us} is a sum; no sale was that
 * high, and it stays. The cure keeps the plan of the query in the checkpoint and compares it at
 * each start; its sentence is below the table:
 *
 * <pre>{@code
 * == highest amounts
 * +------------------------------------------+------+------------+
 * |window                                    |region|total_amount|
 * +------------------------------------------+------+------------+
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|eu    |100.0       |
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|us    |9.0         |
 * |{2026-01-01 12:05:00, 2026-01-01 12:10:00}|ap    |4.0         |
 * |{2026-01-01 12:05:00, 2026-01-01 12:10:00}|us    |20.0        |
 * |{2026-01-01 12:10:00, 2026-01-01 12:15:00}|eu    |1.0         |
 * |{2026-01-01 12:15:00, 2026-01-01 12:20:00}|us    |3.0         |
 * |{2026-01-01 13:20:00, 2026-01-01 13:25:00}|br    |6.0         |
 * +------------------------------------------+------+------------+
 *
 * The checkpoint location checkpoint/highest amounts belongs to another query. It had '..., [window-T600000ms AS window-T600000ms, region, sum(amount) AS total_amount]', this one has '..., [window-T600000ms AS window-T600000ms, region, max(amount) AS total_amount]'. Start this one on a new checkpoint with a new output; if you know that the change does not touch the state, delete checkpoint/highest amounts/query-signature and start again.
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/ChangedQuery.txt">ChangedQuery.txt</a>.
 *
 * <p>Spark also accepts longer windows, of which the first lacks the sales before the change:
 * {@code eu} has 1100.0 instead of 1115.0. It accepts that the aggregation is left out, so that its
 * state is lost, another delay threshold, and a filter. An average instead of the sum fails, and so
 * does a deduplication instead of the aggregation.
 *
 * <p>Lessons: {@link streamingdeepdive.lesson.ParquetSink}, {@link
 * streamingdeepdive.lesson.ArbitraryState}. Trap before: {@link LostCheckpoint}. Next trap: {@link
 * UnfinishedBatch}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#recovery-semantics-after-changes-in-a-streaming-query">
 *     Guide: Recovery Semantics after Changes in a Streaming Query</a>
 */
public final class ChangedQuery {
  private ChangedQuery() {}

  /**
   * A change: windows of ten minutes instead of five.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch
   * @return {@link WindowedAggregation#SCHEMA}
   */
  public static Dataset<Row> longerWindows(Dataset<Row> events) {
    return WindowedAggregation.buildQuery(events, "10 minutes", "10 minutes");
  }

  /**
   * A change: the highest amount of each window instead of the sum.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch
   * @return {@link WindowedAggregation#SCHEMA}
   */
  public static Dataset<Row> highestAmounts(Dataset<Row> events) {
    return events
        .withWatermark("event_time", WindowedAggregation.DELAY_THRESHOLD)
        .groupBy(
            window(col("event_time"), WindowedAggregation.WINDOW_DURATION).as("window"),
            col("region"))
        .agg(max("amount").as("total_amount"));
  }

  /**
   * A change: the sales one by one, without an aggregation.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch
   * @return {@link WindowedAggregation#SCHEMA}
   */
  public static Dataset<Row> singleSales(Dataset<Row> events) {
    return events.select(
        window(col("event_time"), WindowedAggregation.WINDOW_DURATION).as("window"),
        col("region"),
        col("amount").as("total_amount"));
  }

  /**
   * The mistake: goes on from any checkpoint.
   *
   * @param totals {@link WindowedAggregation#SCHEMA}
   * @param output the directory to write
   * @param checkpoint the checkpoint location
   * @return the query, to be started
   */
  public static DataStreamWriter<Row> buildQueryForAnyCheckpoint(
      Dataset<Row> totals, String output, String checkpoint) {
    return ParquetSink.buildUpdateQuery(totals, output, checkpoint);
  }

  /**
   * The cure: goes on from a checkpoint of the same query only.
   *
   * @param totals {@link WindowedAggregation#SCHEMA}
   * @param output the directory to write
   * @param checkpoint the checkpoint location; the query's signature is kept there
   * @return the query, to be started
   * @throws IllegalStateException if the checkpoint belongs to another query
   */
  public static DataStreamWriter<Row> buildQuery(
      Dataset<Row> totals, String output, String checkpoint) {
    DataStreamWriter<Row> query = ParquetSink.buildUpdateQuery(totals, output, checkpoint);
    QuerySignature.require(totals, OutputMode.Update(), checkpoint);
    return query;
  }

  /**
   * Processes two files with the totals and five with another query, then tries to start that one
   * with the cure.
   *
   * @param args none: a trap takes no options
   * @throws Exception if the query cannot start or fails
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson = LessonRun.open(args, "Goes on from a checkpoint with another query.")) {
      change(lesson, "unchanged", WindowedAggregation::buildQuery);
      change(lesson, "longer windows", ChangedQuery::longerWindows);
      change(lesson, "highest amounts", ChangedQuery::highestAmounts);
      change(lesson, "single sales", ChangedQuery::singleSales);
    }
  }

  private static void change(LessonRun lesson, String name, UnaryOperator<Dataset<Row>> changed)
      throws Exception {
    String output = lesson.output(name);
    String checkpoint = lesson.checkpoint(name);
    Dataset<Row> sales = FileSource.read(lesson.spark(), lesson.input("sales"));
    Dataset<Row> totals = WindowedAggregation.buildQuery(sales);
    StreamingQuery first = buildQuery(totals, output, checkpoint).queryName("totals").start();
    lesson.feed(2, first);
    first.stop();

    Dataset<Row> next = changed.apply(sales);
    StreamingQuery other =
        buildQueryForAnyCheckpoint(next, output, checkpoint).queryName(name).start();
    lesson.feed(5, other);
    other.stop();
    lesson.printTable(name, ParquetSink.latest(lesson.spark(), output));
    try {
      buildQuery(next, output, checkpoint).start().stop();
    } catch (IllegalStateException e) {
      lesson.printFailure(e);
    }
  }
}
