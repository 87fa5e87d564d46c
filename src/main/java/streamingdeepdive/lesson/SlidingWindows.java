package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.window;

import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;

/**
 * Windows that overlap. How much was sold in the last ten minutes, asked every five minutes?
 *
 * <p>Each sale is in two windows, and that is no duplicate. At 12:05 we ask for the ten minutes
 * before, at 12:10 again. The sale of 12:03 belongs to both answers; leaving it out of one would
 * make that answer wrong. Within each window it counts once:
 *
 * <pre>{@code
 * == 03-late-but-counted.json
 * {"event_time":"2026-01-01T12:03:00Z","region":"eu","amount":100.0}
 * +------------------------------------------+------+------------+
 * |window                                    |region|total_amount|
 * +------------------------------------------+------+------------+
 * |{2026-01-01 11:55:00, 2026-01-01 12:05:00}|eu    |115.0       |
 * |{2026-01-01 12:00:00, 2026-01-01 12:10:00}|eu    |115.0       |
 * +------------------------------------------+------+------------+
 * watermark 2026-01-01 12:04:00, state rows 8 (2 updated), rows dropped as late 0
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/SlidingWindows.txt">SlidingWindows.txt</a>, here as
 * a picture:
 *
 * <p><img src="doc-files/sliding-windows.svg" alt="Files, event times, windows that overlap">
 *
 * <p>The tempting mistake is to add the windows up: since each sale is in two of them, their sum is
 * twice the sum of the sales. Tumbling windows, where the slide is the length of the window, can be
 * added up.
 *
 * <p>A late sale can be dropped from one of its windows and count in the other, which closes later:
 * in {@code 05-too-late.json} the 1000.0 of 12:04:59 is missing in the window that ends at 12:05
 * and counts in the one that ends at 12:10.
 *
 * <p>Before: {@link WindowedAggregation}. Next: {@link Watermark}. Trap: {@link
 * streamingdeepdive.trap.LostWatermark}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#types-of-time-windows">
 *     Guide: Types of time windows</a>
 */
public final class SlidingWindows {
  /** How far the watermark stays behind the newest event time. */
  public static final String DELAY_THRESHOLD = "10 minutes";

  /** How much event time a window spans. */
  public static final String WINDOW_DURATION = "10 minutes";

  /** How much later each window starts than the one before. */
  public static final String SLIDE_DURATION = "5 minutes";

  private SlidingWindows() {}

  /**
   * Adds up amounts in windows of {@value #WINDOW_DURATION}, one every {@value #SLIDE_DURATION}.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch
   * @return {@link WindowedAggregation#SCHEMA}
   */
  public static Dataset<Row> buildQuery(Dataset<Row> events) {
    return buildQuery(
        events, DELAY_THRESHOLD, window(col("event_time"), WINDOW_DURATION, SLIDE_DURATION));
  }

  /**
   * Adds up amounts per window and region. On a batch Dataset the delay threshold has no effect.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch
   * @param delayThreshold an interval such as {@code "10 minutes"}: how far the watermark stays
   *     behind the newest event time
   * @param window the windows as Spark's {@code window} makes them of {@code event_time}, such as
   *     {@code window(col("event_time"), "10 minutes", "5 minutes")}. Spark refuses a slide that is
   *     longer than the window, since sales between two windows would be in none
   * @return {@link WindowedAggregation#SCHEMA}
   */
  public static Dataset<Row> buildQuery(Dataset<Row> events, String delayThreshold, Column window) {
    return events
        .withWatermark("event_time", delayThreshold)
        .groupBy(window.as("window"), col("region"))
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
        LessonRun.open(
            args,
            "Adds up sales per ten minutes and region, every five minutes.",
            "input",
            "checkpoint")) {
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
