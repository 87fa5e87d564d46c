package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.window;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;

/**
 * Totals per window of event time. How much is sold per five minutes, if sales arrive late and out
 * of order?
 *
 * <p>This is the first whole program: {@link #main} reads a stream, builds the query, and starts it
 * with an output mode, a sink and a checkpoint location, where Spark notes how far it has come and
 * what it keeps between micro-batches, its state. A sale belongs to the window that its own {@code
 * event_time} falls into, whenever it arrives. The windows are tumbling: they do not overlap, and
 * each contains its start but not its end. The watermark is the newest event time minus ten
 * minutes, 12:04 after two files. A sale of 12:03 in the third is behind it and counts all the
 * same, because its window is open until the watermark reaches 12:05. The fourth file moves it
 * there: the window is closed and its state removed. The 1000.0 of 12:04:59 comes too late for that
 * window and is dropped:
 *
 * <pre>{@code
 * == 05-too-late.json
 * {"event_time":"2026-01-01T12:04:59Z","region":"eu","amount":1000.0}
 * {"event_time":"2026-01-01T12:06:00Z","region":"us","amount":20.0}
 * +------------------------------------------+------+------------+
 * |window                                    |region|total_amount|
 * +------------------------------------------+------+------------+
 * |{2026-01-01 12:05:00, 2026-01-01 12:10:00}|us    |20.0        |
 * +------------------------------------------+------+------------+
 * watermark 2026-01-01 12:05:00, state rows 4 (1 updated), rows dropped as late 1
 * }</pre>
 *
 * <p>The whole output is in <a
 * href="doc-files/WindowedAggregation.txt">WindowedAggregation.txt</a>, here as a picture:
 *
 * <p><img src="doc-files/timeline.svg" alt="Files, event times, windows and watermark">
 *
 * <p>The tempting alternative is to leave the watermark out. Then the 1000.0 counts, but no window
 * is ever closed: after the last file there are 7 state rows instead of 1, and ever more.
 *
 * <p>Not handled: a sale that is delivered twice counts twice, see {@link Deduplication}. A sale
 * without {@code event_time} is in no window and is not counted as dropped; only {@code
 * numInputRows} counts it.
 *
 * <p>Before: {@link FileSource}. Next: {@link SlidingWindows}. Trap: {@link
 * streamingdeepdive.trap.ProcessingTime}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#window-operations-on-event-time">
 *     Guide: Window Operations on Event Time</a>
 */
public final class WindowedAggregation {
  /** How far the watermark stays behind the newest event time. */
  public static final String DELAY_THRESHOLD = "10 minutes";

  /** How much event time a window spans. */
  public static final String WINDOW_DURATION = "5 minutes";

  /** The columns of the totals, as DDL. */
  public static final String SCHEMA =
      "window STRUCT<start: TIMESTAMP, end: TIMESTAMP>, region STRING, total_amount DOUBLE";

  private WindowedAggregation() {}

  /**
   * Adds up amounts per window of {@value #WINDOW_DURATION} and region, with a delay threshold of
   * {@value #DELAY_THRESHOLD}.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch
   * @return {@link #SCHEMA}
   */
  public static Dataset<Row> buildQuery(Dataset<Row> events) {
    return buildQuery(events, DELAY_THRESHOLD, WINDOW_DURATION);
  }

  /**
   * Adds up amounts per window and region. On a batch Dataset the delay threshold has no effect.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch
   * @param delayThreshold an interval such as {@code "10 minutes"}: how far the watermark stays
   *     behind the newest event time
   * @param windowDuration an interval such as {@code "5 minutes"}: how much event time a window
   *     spans
   * @return {@link #SCHEMA}
   */
  public static Dataset<Row> buildQuery(
      Dataset<Row> events, String delayThreshold, String windowDuration) {
    return events
        .withWatermark("event_time", delayThreshold)
        .groupBy(window(col("event_time"), windowDuration).as("window"), col("region"))
        .agg(sum("amount").as("total_amount"));
  }

  /**
   * Prints the updated totals of each micro-batch, in update mode.
   *
   * @param args none for the sample data, or {@code --input} and {@code --checkpoint}
   * @throws Exception if the query cannot start or fails
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson =
        LessonRun.open(args, "Adds up sales per five minutes and region.", "input", "checkpoint")) {
      Dataset<Row> sales = FileSource.read(lesson.spark(), lesson.input("sales"));
      StreamingQuery query =
          buildQuery(sales)
              .writeStream()
              .outputMode(OutputMode.Update())
              .foreachBatch(lesson::print)
              .option("checkpointLocation", lesson.checkpoint("totals"))
              .start();
      lesson.replay(query);
    }
  }
}
