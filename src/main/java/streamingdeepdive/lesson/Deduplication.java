package streamingdeepdive.lesson;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;

/**
 * Events that are delivered more than once. How is each counted once, and how long must it be
 * remembered?
 *
 * <p>The state store keeps the keys of the rows that came; a row whose keys are there is dropped. A
 * row is remembered until the watermark reaches its event time. After that, a second delivery is
 * dropped as late, and so is every row of that age that arrives for the first time:
 *
 * <pre>{@code
 * == 06-redelivered.json
 * {"event_time":"2026-01-01T12:14:00Z","region":"eu","amount":1.0}
 * {"event_time":"2026-01-01T12:15:00Z","region":"us","amount":3.0}
 * (no rows)
 * watermark 2026-01-01 11:15:00, state rows 10 (0 updated), rows dropped as late 0, duplicates dropped 2
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/Deduplication.txt">Deduplication.txt</a>.
 *
 * <p>The tempting alternative is a table of keys kept by hand: each consumer looks a key up,
 * inserts it in the transaction of its work, and someone deletes old keys. Here Spark does all
 * three, and after a failure the keys are those of the micro-batches that were committed.
 *
 * <p>The event time must be one of the keys. Without it no key is ever forgotten, and the state
 * only grows. But if a second delivery has another time than the first, the time cannot be a key;
 * {@link #buildQueryWithinWatermark} is for that case.
 *
 * <p>Not handled: {@code -0.0} and {@code 0.0} are two keys on a stream, though one in a batch
 * query.
 *
 * <p>Before: {@link OutputModes}. Next: {@link ParquetSink}. Trap: {@link
 * streamingdeepdive.trap.UnboundedState}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#streaming-deduplication">
 *     Guide: Streaming Deduplication</a>
 */
public final class Deduplication {
  /** How far the watermark stays behind the newest event time, and so how long keys are kept. */
  public static final String DELAY_THRESHOLD = "1 hour";

  private Deduplication() {}

  /**
   * Drops rows that equal an earlier one in region, amount and event time, with a delay threshold
   * of {@value #DELAY_THRESHOLD}. A null equals a null; a row without event time is remembered for
   * ever.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch
   * @return the same columns
   */
  public static Dataset<Row> buildQuery(Dataset<Row> events) {
    return buildQuery(events, DELAY_THRESHOLD, "region", "amount", "event_time");
  }

  /**
   * Drops rows that equal an earlier one in some columns. On a batch Dataset the delay threshold
   * has no effect.
   *
   * @param events {@code event_time} TIMESTAMP and any others, streaming or batch
   * @param delayThreshold an interval such as {@code "1 hour"}: how far the watermark stays behind
   *     the newest event time, and so how late a row may be
   * @param keys the columns to compare, at least one; without {@code event_time} among them the
   *     state only grows
   * @return the same columns
   * @throws IllegalArgumentException if there are no keys
   */
  public static Dataset<Row> buildQuery(
      Dataset<Row> events, String delayThreshold, String... keys) {
    return events.withWatermark("event_time", delayThreshold).dropDuplicates(atLeastOne(keys));
  }

  /**
   * Drops rows that equal an earlier one in some columns, whatever the event time. Keys are kept
   * until the watermark reaches the event time of their first row plus {@code delayThreshold}; then
   * a row with the same keys is new. A row without event time is never remembered.
   *
   * @param events {@code event_time} TIMESTAMP and any others, streaming; Spark refuses a batch
   *     Dataset when it is run
   * @param delayThreshold an interval such as {@code "1 hour"}: a second delivery is dropped if its
   *     event time is at most so much later than that of the first. One that is later still may be
   *     dropped too, until the watermark gets there
   * @param keys the columns to compare, at least one, best an identifier that the sender gives
   * @return the same columns
   * @throws IllegalArgumentException if there are no keys
   */
  public static Dataset<Row> buildQueryWithinWatermark(
      Dataset<Row> events, String delayThreshold, String... keys) {
    return events
        .withWatermark("event_time", delayThreshold)
        .dropDuplicatesWithinWatermark(atLeastOne(keys));
  }

  /** Without keys all rows would be duplicates of the first. */
  private static String[] atLeastOne(String... keys) {
    if (keys.length == 0) {
      throw new IllegalArgumentException(
          "Name the columns to compare, such as \"region\", \"amount\", \"event_time\"");
    }
    return keys;
  }

  /**
   * Prints the sales that are left, in append mode.
   *
   * @param args none for the sample data, or {@code --input} and {@code --checkpoint}
   * @throws Exception if the query cannot start or fails
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson =
        LessonRun.open(
            args, "Drops sales that are delivered a second time.", "input", "checkpoint")) {
      Dataset<Row> sales = FileSource.read(lesson.spark(), lesson.input("sales"));
      StreamingQuery query =
          buildQuery(sales)
              .writeStream()
              .outputMode(OutputMode.Append())
              .foreachBatch(lesson::print)
              .option("checkpointLocation", lesson.checkpoint("sales"))
              .start();
      lesson.replay(query);
    }
  }
}
