package streamingdeepdive.trap;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.date_trunc;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.window;

import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;
import streamingdeepdive.lesson.FileSource;

/**
 * A watermark that is there and does nothing. Why does the state grow, although {@code
 * withWatermark} was called?
 *
 * <p>The watermark is a mark on a column. It stays there while the column is passed on unchanged,
 * and {@code window} and {@code window_time} keep it. Any other expression, even a cast to the type
 * that the column already has, makes a new column without the mark. The column that was taken from
 * the Dataset before {@code withWatermark} has no mark either. In append mode Spark refuses to
 * start such a query. In update mode it starts, its watermark moves, and no window is ever closed:
 *
 * <pre>{@code
 * == 07-an-hour-later.json
 * {"event_time":"2026-01-01T13:20:00Z","region":"br","amount":6.0}
 * -- window on the cast
 * watermark 2026-01-01 13:10:00, state rows 7 (1 updated), rows dropped as late 0, rows put out 1
 * -- window on the column
 * watermark 2026-01-01 13:10:00, state rows 1 (1 updated), rows dropped as late 0, rows put out 1
 *
 * == 08-redelivered-too-late.json
 * {"event_time":"2026-01-01T12:01:00Z","region":"eu","amount":10.0}
 * {"event_time":"2026-01-01T13:21:00Z","region":"br","amount":8.0}
 * -- window on the cast
 * watermark 2026-01-01 13:11:00, state rows 7 (2 updated), rows dropped as late 0, rows put out 2
 * -- window on the column
 * watermark 2026-01-01 13:11:00, state rows 1 (1 updated), rows dropped as late 1, rows put out 1
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/LostWatermark.txt">LostWatermark.txt</a>.
 *
 * <p>The cure is to compute first and call {@code withWatermark} last: {@link
 * #buildQueryOnMarkedLast}.
 *
 * <p>Lessons: {@link streamingdeepdive.lesson.SlidingWindows}, {@link
 * streamingdeepdive.lesson.Watermark}, {@link streamingdeepdive.lesson.ChainedOperators}. Trap
 * before: {@link UnboundedState}. Next trap: {@link ProcessingTime}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#conditions-for-watermarking-to-clean-aggregation-state">
 *     Guide: Conditions for watermarking to clean aggregation state</a>
 */
public final class LostWatermark {
  /** How far the watermark stays behind the newest event time. */
  public static final String DELAY_THRESHOLD = "10 minutes";

  /** How much event time a window spans. */
  public static final String WINDOW_DURATION = "5 minutes";

  private LostWatermark() {}

  /**
   * The mistake: adds up amounts in windows on the event time, cast to its own type.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch
   * @return {@link streamingdeepdive.lesson.WindowedAggregation#SCHEMA}
   */
  public static Dataset<Row> buildQueryOnCast(Dataset<Row> events) {
    Dataset<Row> marked = events.withWatermark("event_time", DELAY_THRESHOLD);
    return totals(marked, col("event_time").cast("timestamp"));
  }

  /**
   * The same mistake: adds up amounts in windows on the column as it was before the mark.
   *
   * @param events as for {@link #buildQueryOnCast}
   * @return as for {@link #buildQueryOnCast}
   */
  public static Dataset<Row> buildQueryOnEarlierColumn(Dataset<Row> events) {
    Dataset<Row> marked = events.withWatermark("event_time", DELAY_THRESHOLD);
    return totals(marked, events.col("event_time"));
  }

  /**
   * The cure: adds up amounts in windows on the marked column itself.
   *
   * @param events as for {@link #buildQueryOnCast}
   * @return as for {@link #buildQueryOnCast}
   */
  public static Dataset<Row> buildQuery(Dataset<Row> events) {
    Dataset<Row> marked = events.withWatermark("event_time", DELAY_THRESHOLD);
    return totals(marked, col("event_time"));
  }

  /**
   * The mistake on a derived column: calls {@code withWatermark}, then cuts the event time to whole
   * seconds.
   *
   * @param events as for {@link #buildQueryOnCast}
   * @return as for {@link #buildQueryOnCast}
   */
  public static Dataset<Row> buildQueryOnMarkedFirst(Dataset<Row> events) {
    return totals(
        events
            .withWatermark("event_time", DELAY_THRESHOLD)
            .withColumn("event_time", date_trunc("second", col("event_time"))),
        col("event_time"));
  }

  /**
   * The cure on a derived column: cuts the event time to whole seconds, then calls {@code
   * withWatermark}.
   *
   * @param events as for {@link #buildQueryOnCast}
   * @return as for {@link #buildQueryOnCast}
   */
  public static Dataset<Row> buildQueryOnMarkedLast(Dataset<Row> events) {
    return totals(
        events
            .withColumn("event_time", date_trunc("second", col("event_time")))
            .withWatermark("event_time", DELAY_THRESHOLD),
        col("event_time"));
  }

  private static Dataset<Row> totals(Dataset<Row> events, Column time) {
    return events
        .groupBy(window(time, WINDOW_DURATION).as("window"), col("region"))
        .agg(sum("amount").as("total_amount"));
  }

  /**
   * Prints watermark, state rows and late rows of the mistake and the cure, in update mode.
   *
   * @param args none: a trap takes no options
   * @throws Exception if the query cannot start or fails
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson =
        LessonRun.open(
            args, "Adds up sales in windows on a cast column and on the column itself.")) {
      Dataset<Row> sales = FileSource.read(lesson.spark(), lesson.input("sales"));
      lesson.replay(
          start(lesson, "window on the cast", buildQueryOnCast(sales)),
          start(lesson, "window on the column", buildQuery(sales)));
    }
  }

  private static StreamingQuery start(LessonRun lesson, String name, Dataset<Row> totals)
      throws Exception {
    return totals
        .writeStream()
        .queryName(name)
        .outputMode(OutputMode.Update())
        .format("noop")
        .option("checkpointLocation", lesson.checkpoint(name))
        .start();
  }
}
