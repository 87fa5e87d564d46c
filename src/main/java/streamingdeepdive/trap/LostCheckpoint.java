package streamingdeepdive.trap;

import java.io.File;
import org.apache.commons.io.FileUtils;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.OutputModes;
import streamingdeepdive.lesson.ParquetSink;
import streamingdeepdive.lesson.WindowedAggregation;

/**
 * A checkpoint or an output that was deleted. What becomes of the rows if only one of them is there
 * at the next start?
 *
 * <p>Without its checkpoint a query starts from the beginning: its micro-batches are numbered from
 * 0 again, and all files are read again. The file sink skips every number that is in its log, here
 * 0 to 7. There is no error, and four totals are missing:
 *
 * <pre>{@code
 * == file sink without checkpoint
 * +------------------------------------------+------+------------+
 * |window                                    |region|total_amount|
 * +------------------------------------------+------+------------+
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|eu    |115.0       |
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|us    |9.0         |
 * +------------------------------------------+------+------------+
 * }</pre>
 *
 * <p>A {@code foreachBatch} that appends does the opposite. It writes the first totals once more,
 * and not as before. The five files are now a backlog, so the 1000.0 that was too late counts:
 * {@code eu} has a row with 115.0 and one with 1115.0 for the same window.
 *
 * <p>Without the output the query goes on, and what it writes cannot be read. The cure compares the
 * two before the start and refuses both, here the first:
 *
 * <pre>{@code
 * == guarded: 01-on-time.json, 02-out-of-order.json, 03-late-but-counted.json, 04-closes-the-first-window.json, 05-too-late.json
 * The output directory output/guarded without checkpoint is ahead of the checkpoint location checkpoint/guarded without checkpoint: it has micro-batches up to 7, which Spark would pass over without a word. Start on the checkpoint that wrote it, as it is now, or give the query a new output.
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/LostCheckpoint.txt">LostCheckpoint.txt</a>.
 *
 * <p>A checkpoint that is moved as a whole goes on at its new place: it does not name its own path.
 * Keep, back up and delete checkpoint and output together. The cure compares the numbers of the
 * micro-batches: it cannot tell two queries apart that have run equally many.
 *
 * <p>Lessons: {@link streamingdeepdive.lesson.ParquetSink}, {@link
 * streamingdeepdive.lesson.DeltaSink}. Trap before: {@link CompleteModeGrowth}. Next trap: {@link
 * ChangedQuery}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#recovering-from-failures-with-checkpointing">
 *     Guide: Recovering from Failures with Checkpointing</a>
 */
public final class LostCheckpoint {
  @FunctionalInterface
  private interface Sink {
    DataStreamWriter<Row> write(Dataset<Row> totals, String output, String checkpoint);
  }

  private LostCheckpoint() {}

  /**
   * The mistake: the file sink starts without a check.
   *
   * @param totals any rows, of an aggregation only with a watermark
   * @param output the directory to write
   * @param checkpoint the checkpoint location
   * @return the query, to be started
   */
  public static DataStreamWriter<Row> buildUnguardedQuery(
      Dataset<Row> totals, String output, String checkpoint) {
    return OutputModes.append(totals)
        .format("parquet")
        .option("path", output)
        .option("checkpointLocation", checkpoint);
  }

  /**
   * The other mistake: appends a replayed micro-batch once more.
   *
   * @param totals any rows, of an aggregation only with a watermark
   * @param output the directory to write
   * @param checkpoint the checkpoint location
   * @return the query, to be started
   */
  public static DataStreamWriter<Row> buildAppendingQuery(
      Dataset<Row> totals, String output, String checkpoint) {
    VoidFunction2<Dataset<Row>, Long> append =
        (batch, batchId) -> batch.write().mode(SaveMode.Append).parquet(output);
    return OutputModes.append(totals).foreachBatch(append).option("checkpointLocation", checkpoint);
  }

  /**
   * The cure: {@link ParquetSink#buildQuery}.
   *
   * @param totals any rows, of an aggregation only with a watermark
   * @param output the directory to write
   * @param checkpoint the checkpoint location
   * @return the query, to be started
   * @throws IllegalStateException if checkpoint and output do not belong together
   */
  public static DataStreamWriter<Row> buildQuery(
      Dataset<Row> totals, String output, String checkpoint) {
    return ParquetSink.buildQuery(totals, output, checkpoint);
  }

  /**
   * Deletes the checkpoint or the output of each query after five files, starts the query again and
   * prints what its output holds.
   *
   * @param args none: a trap takes no options
   * @throws Exception if the query cannot start or fails
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson =
        LessonRun.open(args, "Deletes a checkpoint or an output, and starts the query again.")) {
      lose(lesson, "checkpoint", "file sink", 3, LostCheckpoint::buildUnguardedQuery);
      lose(lesson, "checkpoint", "appending", 3, LostCheckpoint::buildAppendingQuery);
      lose(lesson, "checkpoint", "guarded", 3, LostCheckpoint::buildQuery);
      lose(lesson, "output", "file sink", 1, LostCheckpoint::buildUnguardedQuery);
      lose(lesson, "output", "guarded", 1, LostCheckpoint::buildQuery);
    }
  }

  private static void lose(
      LessonRun lesson, String lost, String name, int filesAfterwards, Sink sink) throws Exception {
    String output = lesson.output(name + " without " + lost);
    String checkpoint = lesson.checkpoint(name + " without " + lost);
    Dataset<Row> sales = FileSource.read(lesson.spark(), lesson.input("sales"));
    Dataset<Row> totals = WindowedAggregation.buildQuery(sales);
    StreamingQuery query = sink.write(totals, output, checkpoint).queryName(name).start();
    lesson.feed(5, query);
    query.stop();

    String deleted = lost.equals("output") ? output : checkpoint;
    FileUtils.deleteDirectory(new File(new Path(deleted).toUri()));
    try {
      StreamingQuery next = sink.write(totals, output, checkpoint).queryName(name).start();
      lesson.feed(filesAfterwards, next);
      next.stop();
      lesson.printTable(name + " without " + lost, lesson.spark().read().parquet(output));
    } catch (Exception e) {
      lesson.printFailure(e);
    }
  }
}
