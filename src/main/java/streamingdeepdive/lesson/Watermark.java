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
 * How long to wait for late events. When can a total be taken as final, and its state forgotten?
 *
 * <p>The watermark is the newest event time seen, less the delay threshold. It is computed after
 * each micro-batch and never goes back. A window is closed when the watermark reaches its end: its
 * state goes, and rows that come for it later are dropped. A row behind the watermark still counts
 * while its window is open. A short delay forgets soon and drops much, a long one the other way
 * round, and without a watermark nothing is dropped or ever forgotten:
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
 *
 * == 06-redelivered.json
 * {"event_time":"2026-01-01T12:14:00Z","region":"eu","amount":1.0}
 * {"event_time":"2026-01-01T12:15:00Z","region":"us","amount":3.0}
 * -- 1 minute
 * watermark 2026-01-01 12:14:00, state rows 2 (2 updated), rows dropped as late 0, rows put out 2
 * -- 10 minutes
 * watermark 2026-01-01 12:05:00, state rows 4 (2 updated), rows dropped as late 0, rows put out 2
 * -- no watermark
 * watermark none, state rows 6 (2 updated), rows dropped as late 0, rows put out 2
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/Watermark.txt">Watermark.txt</a>.
 *
 * <p>Rows are judged late by the watermark of the micro-batch before, so a row is never late
 * against a row of its own micro-batch. It also makes the order of feeding part of the result: of
 * three files with 10:25, 10:02 and 10:51 the second is dropped if each is taken in before the next
 * one lands. If all three are there from the start, its micro-batch follows at once on the first,
 * whose watermark does not count yet, and the row is kept.
 *
 * <p>The number of dropped rows is counted behind the partial aggregation: four late rows of one
 * region in two windows of one file show as two.
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
   * @param events {@link FileSource#SCHEMA},
   *     streaming or batch
   * @return {@link WindowedAggregation#SCHEMA}
   */
  public static Dataset<Row> buildQuery(Dataset<Row> events) {
    return buildQuery(events, DELAY_THRESHOLD);
  }

  /**
   * Adds up amounts per window and region. On a batch Dataset the delay threshold has no effect.
   *
   * @param events {@link FileSource#SCHEMA},
   *     streaming or batch
   * @param delayThreshold an interval such as {@code "10 minutes"}: how far the watermark stays
   *     behind the newest event time
   * @return {@link WindowedAggregation#SCHEMA}
   */
  public static Dataset<Row> buildQuery(Dataset<Row> events, String delayThreshold) {
    return buildQueryWithoutWatermark(events.withWatermark("event_time", delayThreshold));
  }

  /**
   * The same without a watermark, for comparison: on a stream its state only grows.
   *
   * @param events {@link FileSource#SCHEMA},
   *     streaming or batch
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

  /** On the noop sink, since the rows are not the point here. */
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
