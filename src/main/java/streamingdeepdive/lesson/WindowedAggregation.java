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
 * Totals per window of event time. What was sold in each five minutes, if the reports come late and
 * out of order?
 *
 * <p>An event belongs to the window that its own {@code event_time} falls into, whenever it
 * arrives. The windows are tumbling: they follow each other without overlap, the start included,
 * the end not. After two files the watermark, the newest event time less ten minutes, is 12:04; an
 * event of 12:03 is behind it, but its window is open until the watermark reaches the window's end
 * at 12:05, so it counts. Then it does, the window's state goes, and the 1000.0 of 12:04:59 is
 * dropped:
 *
 * <pre>{@code
 * == 03-late-but-counted.json
 * {"event_time":"2026-01-01T12:03:00Z","region":"eu","amount":100.0}
 * +------------------------------------------+------+------------+
 * |window                                    |region|total_amount|
 * +------------------------------------------+------+------------+
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|eu    |115.0       |
 * +------------------------------------------+------+------------+
 * watermark 2026-01-01 12:04:00, state rows 4 (1 updated), rows dropped as late 0
 *
 * == 04-closes-the-first-window.json
 * {"event_time":"2026-01-01T12:15:00Z","region":"us","amount":3.0}
 * +------------------------------------------+------+------------+
 * |window                                    |region|total_amount|
 * +------------------------------------------+------+------------+
 * |{2026-01-01 12:15:00, 2026-01-01 12:20:00}|us    |3.0         |
 * +------------------------------------------+------+------------+
 * watermark 2026-01-01 12:05:00, state rows 3 (1 updated), rows dropped as late 0
 *
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
 * href="doc-files/WindowedAggregation.txt">WindowedAggregation.txt</a>.
 *
 * <p>The tempting alternative is to leave the watermark out. Then the 1000.0 counts, but no window
 * is ever closed: after the last file there are 7 state rows instead of 1, and it goes on like
 * that.
 *
 * <p>Not handled here: an event that is delivered twice counts twice, and one without {@code
 * event_time} is in no window and in no metric.
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
   * Adds up amounts in windows of {@value #WINDOW_DURATION}, {@value #DELAY_THRESHOLD} late events
   * included.
   *
   * @param events {@link FileSource#SCHEMA},
   *     streaming or batch
   * @return {@link #SCHEMA}
   */
  public static Dataset<Row> buildQuery(Dataset<Row> events) {
    return buildQuery(events, DELAY_THRESHOLD, WINDOW_DURATION);
  }

  /**
   * Adds up amounts per window and region. On a batch Dataset the delay threshold has no effect.
   *
   * @param events {@link FileSource#SCHEMA},
   *     streaming or batch
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
   * Prints the totals as they change, in update mode.
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
