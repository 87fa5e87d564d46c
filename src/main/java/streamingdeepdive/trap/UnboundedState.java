package streamingdeepdive.trap;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import streamingdeepdive.app.StreamingApp;
import streamingdeepdive.lesson.BadRecords;
import streamingdeepdive.lesson.OutputModes;
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
  private static final int FILES = 10;
  private static final int WINDOWS_PER_FILE = 20;

  private UnboundedState() {}

  /**
   * The mistake: adds up amounts in windows of {@value Watermark#WINDOW_DURATION} and keeps them
   * all.
   *
   * @param events {@code event_time} TIMESTAMP, {@code region} STRING, {@code amount} DOUBLE,
   *     streaming or batch
   * @return {@code window} STRUCT of {@code start} and {@code end} TIMESTAMP, {@code region}
   *     STRING, {@code total_amount} DOUBLE
   */
  public static Dataset<Row> buildQueryWithoutWatermark(Dataset<Row> events) {
    return totals(events);
  }

  /**
   * The cure: adds up amounts in windows of {@value Watermark#WINDOW_DURATION} and forgets those
   * that are {@value Watermark#DELAY_THRESHOLD} behind.
   *
   * @param events {@code event_time} TIMESTAMP, {@code region} STRING, {@code amount} DOUBLE,
   *     streaming or batch
   * @return {@code window} STRUCT of {@code start} and {@code end} TIMESTAMP, {@code region}
   *     STRING, {@code total_amount} DOUBLE
   */
  public static Dataset<Row> buildQuery(Dataset<Row> events) {
    return totals(events.withWatermark("event_time", Watermark.DELAY_THRESHOLD));
  }

  private static Dataset<Row> totals(Dataset<Row> events) {
    return Watermark.buildQueryWithoutWatermark(events);
  }

  /** One sale every five minutes, from midnight of the sample data's day. */
  static String sales(int file) {
    Instant midnight = Instant.parse("2026-01-01T00:00:00Z");
    return IntStream.range((file - 1) * WINDOWS_PER_FILE, file * WINDOWS_PER_FILE)
        .mapToObj(window -> midnight.plus(Duration.ofMinutes(5L * window)))
        .map("{\"event_time\":\"%s\",\"region\":\"eu\",\"amount\":1.0}\n"::formatted)
        .collect(Collectors.joining());
  }

  /**
   * Prints watermark, state rows and late rows with and without a watermark, in update mode.
   *
   * @param args see {@code --help}
   */
  public static void main(String[] args) {
    StreamingApp.run(
        UnboundedState.class,
        "Prints the state of a windowed aggregation over 200 windows with and without a watermark.",
        args,
        app -> {
          String input = app.generatedInput(FILES, UnboundedState::sales);
          Dataset<Row> events = app.accepted(BadRecords.read(app.spark(), input));
          app.out()
              .ledgerOfEach(
                  Map.of(
                      "without a watermark", OutputModes.update(buildQueryWithoutWatermark(events)),
                      "with a watermark", OutputModes.update(buildQuery(events))));
        });
  }
}
