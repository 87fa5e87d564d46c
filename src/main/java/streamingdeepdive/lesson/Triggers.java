package streamingdeepdive.lesson;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;
import streamingdeepdive.app.LessonRun;

/**
 * When a micro-batch starts, and when a query ends. Which trigger is for a query that always runs,
 * which one for a job that comes and goes?
 *
 * <p>The same windowed totals in append mode, over eight files that are all there from the start,
 * one file per micro-batch:
 *
 * <pre>{@code
 * == what each delivered
 * +----------------------+-------------+------------+---------------------------------------------------------------------+
 * |query                 |micro-batches|rows put out|refused                                                              |
 * +----------------------+-------------+------------+---------------------------------------------------------------------+
 * |as soon as possible   |9            |6           |NULL                                                                 |
 * |available now         |9            |6           |NULL                                                                 |
 * |continuous            |NULL         |NULL        |Continuous processing does not support StreamingRelation operations.;|
 * |every 100 milliseconds|9            |6           |NULL                                                                 |
 * |once                  |1            |0           |NULL                                                                 |
 * +----------------------+-------------+------------+---------------------------------------------------------------------+
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/Triggers.txt">Triggers.txt</a>.
 *
 * <p>As soon as possible is the default: a micro-batch follows on the one before whenever there is
 * new data. With an interval it waits for the next multiple of that. Both run until they are
 * stopped. Available now takes what is there when it starts, in micro-batches of the usual size,
 * then runs the no-data micro-batch in which the last closed windows come out, and ends by itself:
 * the trigger for a scheduled job.
 *
 * <p>The tempting alternative, once, is deprecated for two reasons. It puts everything into one
 * micro-batch, whatever the limit of the source, and no row of it is late. And it ends without a
 * no-data micro-batch, so that the closed windows wait for the next run.
 *
 * <p>A continuous query has no micro-batches, and so no windows, and it reads no files: Spark
 * refuses it here. {@link ContinuousProcessing} has what it can do.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#triggers">
 *     Guide: Triggers</a>
 */
public final class Triggers {
  private static final String INTERVAL = "100 milliseconds";

  private Triggers() {}

  /**
   * Starts a micro-batch whenever the one before is done and there is new data; Spark's default.
   *
   * @param totals a streaming Dataset that append mode can put out
   * @return the query, to be given a sink and started
   */
  public static DataStreamWriter<Row> asSoonAsPossible(Dataset<Row> totals) {
    return append(totals).trigger(Trigger.ProcessingTime(0));
  }

  /**
   * Starts a micro-batch at each multiple of an interval, if there is new data and the one before
   * is done.
   *
   * @param totals a streaming Dataset that append mode can put out
   * @param interval such as {@code "10 seconds"}
   * @return the query, to be given a sink and started
   */
  public static DataStreamWriter<Row> every(Dataset<Row> totals, String interval) {
    return append(totals).trigger(Trigger.ProcessingTime(interval));
  }

  /**
   * Takes what is there at the start, in micro-batches of the usual size, and ends.
   *
   * @param totals a streaming Dataset that append mode can put out
   * @return the query, to be given a sink and started
   */
  public static DataStreamWriter<Row> availableNow(Dataset<Row> totals) {
    return append(totals).trigger(Trigger.AvailableNow());
  }

  /**
   * Takes what is there at the start in a single micro-batch, and ends; what {@link #availableNow}
   * replaces.
   *
   * @param totals a streaming Dataset that append mode can put out
   * @return the query, to be given a sink and started
   */
  @SuppressWarnings("deprecation") // what it is here to show
  public static DataStreamWriter<Row> once(Dataset<Row> totals) {
    return append(totals).trigger(Trigger.Once());
  }

  /**
   * Hands over each row as it comes, without micro-batches.
   *
   * @param rows a streaming Dataset of a source and operations that {@link ContinuousProcessing}
   *     names; others are refused when the query starts
   * @param interval how often the progress goes into the checkpoint, such as {@code "1 second"}
   * @return the query, to be given a sink and started
   */
  public static DataStreamWriter<Row> continuous(Dataset<Row> rows, String interval) {
    return append(rows).trigger(Trigger.Continuous(interval));
  }

  private static DataStreamWriter<Row> append(Dataset<Row> rows) {
    return rows.writeStream().outputMode(OutputMode.Append());
  }

  /**
   * Prints what the windowed totals deliver with each trigger, over files that are all there.
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
