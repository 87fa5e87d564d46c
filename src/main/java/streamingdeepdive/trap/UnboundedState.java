package streamingdeepdive.trap;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.Watermark;

/**
 * An aggregation without a watermark over a stream that does not end. What does it keep?
 *
 * <p>Everything: a sale for the very first window may still arrive. State rows and state memory
 * grow with the stream, until the executors run out of memory. Each of ten files has one sale in
 * each of four new windows. After the first file there are 4 state rows, or 3 with a watermark.
 * After the last one:
 *
 * <pre>{@code
 * == 10.json
 * {"event_time":"2026-01-01T15:00:00Z","region":"eu","amount":1.0}
 * {"event_time":"2026-01-01T15:05:00Z","region":"eu","amount":1.0}
 * {"event_time":"2026-01-01T15:10:00Z","region":"eu","amount":1.0}
 * {"event_time":"2026-01-01T15:15:00Z","region":"eu","amount":1.0}
 * -- without a watermark
 * watermark none, state rows 40 (4 updated), rows dropped as late 0, rows put out 4
 * -- with a watermark
 * watermark 2026-01-01 15:05:00, state rows 3 (4 updated), rows dropped as late 0, rows put out 4
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/UnboundedState.txt">UnboundedState.txt</a>.
 *
 * <p><img src="doc-files/state-rows.svg" alt="40 state rows without a watermark, 3 with it">
 *
 * <p>{@code withWatermark} alone is no cure. With it and {@code groupBy("region")}, without a
 * window, the watermark moves and every region stays in the state. That is right if there are few
 * regions; over keys that never end it grows forever.
 *
 * <p>The state memory, {@code memoryUsedBytes} in the progress of the query, grows likewise. Spark
 * measures it only where the packages {@code java.util} and {@code java.util.concurrent} are open
 * to it, as they are under spark-submit and after {@code JavaRuntime.prepare()}.
 *
 * <p>Lessons: {@link Watermark}, {@link streamingdeepdive.lesson.Deduplication}, {@link
 * streamingdeepdive.lesson.Joins}. Next trap: {@link LostWatermark}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#handling-late-data-and-watermarking">
 *     Guide: Handling Late Data and Watermarking</a>
 */
public final class UnboundedState {
  private UnboundedState() {}

  /**
   * The mistake: adds up amounts in windows of {@value Watermark#WINDOW_DURATION} and keeps them
   * all.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch
   * @return {@link streamingdeepdive.lesson.WindowedAggregation#SCHEMA}
   */
  public static Dataset<Row> buildQueryWithoutWatermark(Dataset<Row> events) {
    return totals(events);
  }

  /**
   * The cure: adds up amounts in windows of {@value Watermark#WINDOW_DURATION}, with a delay
   * threshold of {@value Watermark#DELAY_THRESHOLD}.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch
   * @return {@link streamingdeepdive.lesson.WindowedAggregation#SCHEMA}
   */
  public static Dataset<Row> buildQuery(Dataset<Row> events) {
    return totals(events.withWatermark("event_time", Watermark.DELAY_THRESHOLD));
  }

  private static Dataset<Row> totals(Dataset<Row> events) {
    return Watermark.buildQueryWithoutWatermark(events);
  }

  /**
   * Prints watermark, state rows and late rows with and without a watermark, in update mode.
   *
   * @param args none: a trap takes no options
   * @throws Exception if the query cannot start or fails
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson =
        LessonRun.open(args, "Adds up sales over 40 windows without a watermark and with one.")) {
      Dataset<Row> sales = FileSource.read(lesson.spark(), lesson.input("many-windows"));
      lesson.replay(
          start(lesson, "without a watermark", buildQueryWithoutWatermark(sales)),
          start(lesson, "with a watermark", buildQuery(sales)));
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
