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
 * How long to wait for late events. When is a total final, so that its state can be removed?
 *
 * <p>The watermark is the newest event time seen minus the delay threshold. It is computed after
 * each micro-batch and never goes back. When it reaches the end of a window, the window is closed:
 * a no-data micro-batch follows at once and removes its state, and rows that arrive for it later
 * are dropped. A row behind the watermark still counts while its window is open. A short delay
 * threshold frees state early and drops more rows, a long one does the opposite, and without a
 * watermark nothing is dropped and no state is ever removed:
 *
 * <pre>{@code
 * == 05-too-late.json
 * {"event_time":"2026-01-01T12:04:59Z","region":"eu","amount":1000.0}
 * {"event_time":"2026-01-01T12:06:00Z","region":"us","amount":20.0}
 * -- 1 minute
 * watermark 2026-01-01 12:14:00, state rows 2 (0 updated), rows dropped as late 2, rows put out 0
 * -- 10 minutes
 * watermark 2026-01-01 12:05:00, state rows 4 (1 updated), rows dropped as late 1, rows put out 1
 * -- no watermark
 * watermark none, state rows 6 (2 updated), rows dropped as late 0, rows put out 2
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/Watermark.txt">Watermark.txt</a>. With 10 minutes:
 *
 * <p><img src="doc-files/timeline.svg" alt="Files, event times, windows and watermark">
 *
 * <p>Rows are judged late by the watermark of the micro-batch before, so no row is late against a
 * row of its own micro-batch. That makes the order of feeding part of the result. Take three files
 * with 10:25, 10:02 and 10:51. If each file is processed before the next one lands, the second row
 * is dropped. If all three are there at the start, no no-data micro-batch runs between the first
 * file and the second. The watermark of the first does not count yet, and the row is kept. The
 * first watermark is 1970-01-01: on a stream an event before 1970 is late from the start.
 *
 * <p>Dropped rows are counted after the partial aggregation: four late rows of one region in two
 * windows of one file show as two.
 *
 * <p>Before: {@link SlidingWindows}. Next: {@link OutputModes}. Traps: {@link
 * streamingdeepdive.trap.UnboundedState}, {@link streamingdeepdive.trap.LostWatermark}, {@link
 * streamingdeepdive.trap.FutureEvents}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#handling-late-data-and-watermarking">
 *     Guide: Handling Late Data and Watermarking</a>
 */
public final class Watermark {
  /** How far the watermark stays behind the newest event time. */
  public static final String DELAY_THRESHOLD = "10 minutes";

  /** How much event time a window spans. */
  public static final String WINDOW_DURATION = "5 minutes";

  private Watermark() {}

  /**
   * Adds up amounts per window and region, with a delay threshold of {@value #DELAY_THRESHOLD}.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch
   * @return {@link WindowedAggregation#SCHEMA}
   */
  public static Dataset<Row> buildQuery(Dataset<Row> events) {
    return buildQuery(events, DELAY_THRESHOLD);
  }

  /**
   * Adds up amounts per window and region. On a batch Dataset the delay threshold has no effect.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch
   * @param delayThreshold an interval such as {@code "10 minutes"}: how far the watermark stays
   *     behind the newest event time
   * @return {@link WindowedAggregation#SCHEMA}
   */
  public static Dataset<Row> buildQuery(Dataset<Row> events, String delayThreshold) {
    return buildQueryWithoutWatermark(events.withWatermark("event_time", delayThreshold));
  }

  /**
   * The same query without a watermark, for comparison: on a stream its state only grows.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch
   * @return {@link WindowedAggregation#SCHEMA}
   */
  public static Dataset<Row> buildQueryWithoutWatermark(Dataset<Row> events) {
    return events
        .groupBy(window(col("event_time"), WINDOW_DURATION).as("window"), col("region"))
        .agg(sum("amount").as("total_amount"));
  }

  /**
   * Prints watermark, state rows and late rows of the query with two delay thresholds and without.
   *
   * @param args none for the sample data, or {@code --input} and {@code --checkpoint}
   * @throws Exception if the query cannot start or fails
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson =
        LessonRun.open(
            args, "Adds up sales with two delay thresholds and without.", "input", "checkpoint")) {
      Dataset<Row> sales = FileSource.read(lesson.spark(), lesson.input("sales"));
      lesson.replay(
          start(lesson, "1 minute", buildQuery(sales, "1 minute")),
          start(lesson, "10 minutes", buildQuery(sales)),
          start(lesson, "no watermark", buildQueryWithoutWatermark(sales)));
    }
  }

  /** Starts a query on the noop sink: here the numbers are of interest, not the rows. */
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
