package streamingdeepdive.lesson;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;
import streamingdeepdive.app.LessonRun;

/**
 * When a micro-batch starts, and when a query ends. Which trigger suits a query that always runs,
 * which one a scheduled job?
 *
 * <p>The same windowed totals in append mode, over eight files that are all there at the start:
 *
 * <pre>{@code
 * == all files are there
 * -- available now
 * watermark 2026-01-01 13:11:00, state rows 1 (13 updated), rows dropped as late 1, rows put out 6
 *
 * == all files are there
 * -- once
 * watermark 2026-01-01 13:11:00, state rows 7 (7 updated), rows dropped as late 0, rows put out 0
 *
 * == awaitTermination(10) returned false
 * == all files are there
 * -- every 100 milliseconds
 * watermark 2026-01-01 13:11:00, state rows 1 (13 updated), rows dropped as late 1, rows put out 6
 * }</pre>
 *
 * <p>The same is in <a href="doc-files/Triggers.txt">Triggers.txt</a>.
 *
 * <p>By default a micro-batch starts as soon as there is new data and the one before is done. With
 * {@code Trigger.ProcessingTime("30 seconds")} or {@code Trigger.ProcessingTime("1 minute")} the
 * first starts at once and the others at multiples of the interval, for which new rows wait; one
 * that takes longer than the interval is followed at once. Both run until they are stopped. {@code
 * awaitTermination(timeout)} waits for so many milliseconds, where Python counts seconds; it
 * returns false if the query has not ended, and leaves it running.
 *
 * <p>Available now processes what is there at the start, in micro-batches of the usual size, then
 * runs the no-data micro-batch that outputs the last closed windows, and ends. It suits a scheduled
 * job; {@code awaitTermination()} returns at its end.
 *
 * <p>The tempting alternative, once, is deprecated. It puts everything into one micro-batch,
 * whatever the limit of the source, and ends without a no-data micro-batch, so the closed windows
 * wait for the next run. In the first two no row is late; from the third on, rows are dropped.
 *
 * <p>Before: {@link KafkaSink}. Next: {@link ContinuousProcessing}. Trap: {@link
 * streamingdeepdive.trap.UnlimitedBacklog}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#triggers">
 *     Guide: Triggers</a>
 */
public final class Triggers {
  private static final String INTERVAL = "100 milliseconds";

  private Triggers() {}

  /**
   * Starts a micro-batch as soon as there is new data and the one before is done; Spark's default.
   *
   * @param totals a streaming Dataset that append mode can output
   * @return the query without a sink, not started
   */
  public static DataStreamWriter<Row> asSoonAsPossible(Dataset<Row> totals) {
    return append(totals).trigger(Trigger.ProcessingTime(0));
  }

  /**
   * Starts the first micro-batch at once and the others at multiples of an interval, if there is
   * new data. One that takes longer than the interval is followed at once.
   *
   * @param totals a streaming Dataset that append mode can output
   * @param interval such as {@code "30 seconds"} or {@code "1 minute"}
   * @return the query without a sink, not started
   */
  public static DataStreamWriter<Row> every(Dataset<Row> totals, String interval) {
    return append(totals).trigger(Trigger.ProcessingTime(interval));
  }

  /**
   * Processes what is there at the start, in micro-batches of the usual size, and ends.
   *
   * @param totals a streaming Dataset that append mode can output
   * @return the query without a sink, not started
   */
  public static DataStreamWriter<Row> availableNow(Dataset<Row> totals) {
    return append(totals).trigger(Trigger.AvailableNow());
  }

  /**
   * Processes what is there at the start in a single micro-batch, and ends; {@link #availableNow}
   * replaces it. Rows are judged late by the watermark that the run before started with.
   *
   * @param totals a streaming Dataset that append mode can output
   * @return the query without a sink, not started
   */
  @SuppressWarnings("deprecation") // to compare it with its replacement
  public static DataStreamWriter<Row> once(Dataset<Row> totals) {
    return append(totals).trigger(Trigger.Once());
  }

  /**
   * Processes each row as it arrives, without micro-batches.
   *
   * @param rows a streaming Dataset of the rate or Kafka source with operations on single rows;
   *     Spark refuses files, aggregations, deduplication and watermarks when the query starts
   * @param interval how often the progress goes into the checkpoint, such as {@code "1 second"}
   * @return the query without a sink, not started
   */
  public static DataStreamWriter<Row> continuous(Dataset<Row> rows, String interval) {
    return append(rows).trigger(Trigger.Continuous(interval));
  }

  private static DataStreamWriter<Row> append(Dataset<Row> rows) {
    return rows.writeStream().outputMode(OutputMode.Append());
  }

  /**
   * Prints what each trigger does with the windowed totals, over files that are all there.
   *
   * @param args none for the sample data, or {@code --input} and {@code --checkpoint}
   * @throws Exception if the query cannot start or fails
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson =
        LessonRun.open(args, "Runs one query with three triggers.", "input", "checkpoint")) {
      Dataset<Row> sales = FileSource.read(lesson.spark(), lesson.input("sales"));
      Dataset<Row> totals = WindowedAggregation.buildQuery(sales);
      lesson.feedAll();

      StreamingQuery now = start(lesson, "available now", availableNow(totals));
      now.awaitTermination();
      lesson.replay(now);

      StreamingQuery once = start(lesson, "once", once(totals));
      once.awaitTermination();
      lesson.replay(once);

      StreamingQuery every = start(lesson, "every 100 milliseconds", every(totals, INTERVAL));
      boolean hasEnded = every.awaitTermination(10);
      System.out.println("== awaitTermination(10) returned " + hasEnded);
      lesson.replay(every);
    }
  }

  private static StreamingQuery start(LessonRun lesson, String name, DataStreamWriter<Row> totals)
      throws Exception {
    return totals
        .queryName(name)
        .format("noop")
        .option("checkpointLocation", lesson.checkpoint(name))
        .start();
  }
}
