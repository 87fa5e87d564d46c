package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.session_window;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.when;

import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;

/**
 * Spans of event time that end when nothing happens. How much was sold before a region paused?
 *
 * <p>Each sale opens a session from its event time to the end of its gap. Sessions of a region that
 * overlap or touch are one: the next sale belongs to it if it comes at most the gap later. Here the
 * gap of {@code us} is 10 minutes, so a late sale of 12:06 makes one session of those from 12:02
 * and from 12:15, and there is one state row fewer; with 5 minutes for all they stay two:
 *
 * <pre>{@code
 * == 05-too-late.json
 * {"event_time":"2026-01-01T12:04:59Z","region":"eu","amount":1000.0}
 * {"event_time":"2026-01-01T12:06:00Z","region":"us","amount":20.0}
 * -- fixed gap
 * (no rows)
 * watermark 2026-01-01 12:05:00, state rows 5 (4 updated), rows dropped as late 0
 * -- gap by region
 * (no rows)
 * watermark 2026-01-01 12:05:00, state rows 4 (3 updated), rows dropped as late 0
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/SessionWindows.txt">SessionWindows.txt</a>. An open
 * session is one state row, and a sale rewrites all those of its region. A session is output, once,
 * when the watermark has reached its end. In update mode the query does not start: {@code Update
 * output mode not supported for session window on streaming DataFrames/DataSets}. Nor does it in
 * append mode without a watermark, like any aggregation. Sessions that are the only grouping key
 * fail in the first micro-batch: {@code Global aggregation with session window in streaming query
 * is not supported.} Complete mode works, and keeps all sessions.
 *
 * <p>A row is late if the watermark has reached the end of its own gap, even if the session around
 * it is open. One at or behind the watermark, but not as far, opens a session anew if the one that
 * it belongs to has been output. The batch query gives the same sessions if each row is less late
 * than the delay threshold.
 *
 * <p>A row without event time is in no session. Nor is one whose gap is null, zero, negative or no
 * interval: no error says so, it does not count as late, and still it moves the watermark.
 *
 * <p>The tempting alternative is a short tumbling window. It cuts wherever its border is, also
 * between two sales that are a second apart.
 *
 * <p>Before: {@link Joins}. Next: {@link ChainedOperators}. Trap: {@link
 * streamingdeepdive.trap.EndlessSession}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#types-of-time-windows">
 *     Guide: Types of time windows</a>
 */
public final class SessionWindows {
  /** How far the watermark stays behind the newest event time. */
  public static final String DELAY_THRESHOLD = "10 minutes";

  /** How long after its last sale a session ends. */
  public static final String GAP = "5 minutes";

  /** The columns of the sessions, as DDL. */
  public static final String SCHEMA =
      "session STRUCT<start: TIMESTAMP, end: TIMESTAMP>, region STRING, sales BIGINT,"
          + " total_amount DOUBLE";

  private SessionWindows() {}

  /**
   * Counts and adds up the sales of each session of a region, with a gap of {@value #GAP} and a
   * delay threshold of {@value #DELAY_THRESHOLD}.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch
   * @return {@link #SCHEMA}
   */
  public static Dataset<Row> buildQuery(Dataset<Row> events) {
    return buildQuery(events, lit(GAP));
  }

  /**
   * Counts and adds up the sales of each session of a region, with a gap that each sale brings: a
   * session ends when the gaps of all its sales are over. On a batch Dataset the delay threshold
   * has no effect.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch
   * @param gap an interval such as {@code lit("5 minutes")}, as STRING; a sale whose gap is null,
   *     no interval, zero or negative is left out, and nothing says so
   * @return {@link #SCHEMA}
   */
  public static Dataset<Row> buildQuery(Dataset<Row> events, Column gap) {
    return events
        .withWatermark("event_time", DELAY_THRESHOLD)
        .groupBy(session_window(col("event_time"), gap).as("session"), col("region"))
        .agg(count(lit(1)).as("sales"), sum("amount").as("total_amount"));
  }

  /**
   * {@return a gap of 10 minutes for the region {@code us}, and of {@value #GAP} for all others}
   */
  public static Column gapByRegion() {
    return when(col("region").equalTo("us"), "10 minutes").otherwise(GAP);
  }

  /**
   * Prints the sessions that have ended, with a gap that is the same for all and one that is not.
   *
   * @param args none for the sample data, or {@code --input} and {@code --checkpoint}
   * @throws Exception if the query cannot start or fails
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson =
        LessonRun.open(
            args, "Adds up sales per session, with two kinds of gaps.", "input", "checkpoint")) {
      Dataset<Row> sales = FileSource.read(lesson.spark(), lesson.input("sales"));
      lesson.replay(
          start(lesson, "fixed gap", buildQuery(sales)),
          start(lesson, "gap by region", buildQuery(sales, gapByRegion())));
    }
  }

  private static StreamingQuery start(LessonRun lesson, String name, Dataset<Row> sessions)
      throws Exception {
    return sessions
        .writeStream()
        .queryName(name)
        .outputMode(OutputMode.Append())
        .foreachBatch(lesson::print)
        .option("checkpointLocation", lesson.checkpoint(name))
        .start();
  }
}
