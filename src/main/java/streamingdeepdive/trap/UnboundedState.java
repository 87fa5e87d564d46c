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
 * <p>Everything: a sale for the very first window may still come, and nobody said that it is too
 * late. State rows and state memory grow with the stream, until the executors run out of memory
 * some day. The replay generates 10 files of 20 windows each, with one sale per window; with a
 * watermark three windows are open at any time:
 *
 * <pre>{@code
 * == 001.json
 * +-------------------+-------------------+----------+--------------------+
 * |query              |watermark          |state rows|rows dropped as late|
 * +-------------------+-------------------+----------+--------------------+
 * |with a watermark   |2026-01-01 01:25:00|3         |0                   |
 * |without a watermark|none               |20        |0                   |
 * +-------------------+-------------------+----------+--------------------+
 * }</pre>
 *
 * and with the last file:
 *
 * <pre>{@code
 * == 010.json
 * +-------------------+-------------------+----------+--------------------+
 * |query              |watermark          |state rows|rows dropped as late|
 * +-------------------+-------------------+----------+--------------------+
 * |with a watermark   |2026-01-01 16:25:00|3         |0                   |
 * |without a watermark|none               |200       |0                   |
 * +-------------------+-------------------+----------+--------------------+
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/UnboundedState.txt">UnboundedState.txt</a>.
 *
 * <p>The state memory, {@code memoryUsedBytes} in the query's progress, grows likewise: it is more
 * than eight times as large after the last file as after the first, and with a watermark it stays
 * within a quarter of that. Spark measures it only if the packages {@code java.util} and {@code
 * java.util.concurrent} are open to it, as they are under spark-submit and after {@code
 * JavaRuntime.prepare()}; otherwise it reports the same for any state.
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
   * @param events {@link FileSource#SCHEMA},
   *     streaming or batch
   * @return {@link streamingdeepdive.lesson.WindowedAggregation#SCHEMA}
   */
  public static Dataset<Row> buildQueryWithoutWatermark(Dataset<Row> events) {
    return totals(events);
  }

  /**
   * The cure: adds up amounts in windows of {@value Watermark#WINDOW_DURATION} and forgets those
   * that are {@value Watermark#DELAY_THRESHOLD} behind.
   *
   * @param events {@link FileSource#SCHEMA},
   *     streaming or batch
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
   * @param args takes none
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
