package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.date_from_unix_date;
import static org.apache.spark.sql.functions.floor;
import static org.apache.spark.sql.functions.max_by;
import static org.apache.spark.sql.functions.unix_seconds;

import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;
import streamingdeepdive.recovery.BatchDirectories;
import streamingdeepdive.recovery.Checkpoint;
import streamingdeepdive.recovery.FileSinkOutput;

/**
 * Totals as Parquet files. How does each row come to be there exactly once, though the process may
 * die at any moment?
 *
 * <p>The file sink keeps a log of the files that each micro-batch wrote, and replays what the
 * checkpoint does not have as done. It can only add rows, so a total is written once it is final:
 *
 * <pre>{@code
 * == 04-closes-the-first-window.json
 * {"event_time":"2026-01-01T12:15:00Z","region":"us","amount":3.0}
 * +------+------------------------------------------+------+------------+
 * |query |window                                    |region|total_amount|
 * +------+------------------------------------------+------+------------+
 * |final |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|eu    |115.0       |
 * |final |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|us    |9.0         |
 * |latest|{2026-01-01 12:00:00, 2026-01-01 12:05:00}|eu    |115.0       |
 * |latest|{2026-01-01 12:00:00, 2026-01-01 12:05:00}|us    |9.0         |
 * |latest|{2026-01-01 12:05:00, 2026-01-01 12:10:00}|ap    |4.0         |
 * |latest|{2026-01-01 12:10:00, 2026-01-01 12:15:00}|eu    |1.0         |
 * |latest|{2026-01-01 12:15:00, 2026-01-01 12:20:00}|us    |3.0         |
 * +------+------------------------------------------+------+------------+
 *
 * +------+-------------------+----------+--------------------+
 * |query |watermark          |state rows|rows dropped as late|
 * +------+-------------------+----------+--------------------+
 * |final |2026-01-01 12:05:00|3         |0                   |
 * |latest|2026-01-01 12:05:00|3         |0                   |
 * +------+-------------------+----------+--------------------+
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/ParquetSink.txt">ParquetSink.txt</a>.
 *
 * <p>The tempting alternative is the file sink in update mode. It does not start: {@code Data
 * source parquet does not support Update output mode.} {@link #buildUpdateQuery} does what was
 * meant: each micro-batch writes the totals that changed into a directory of its own, which a
 * replay replaces. {@link #latest} reads the newest total of each window and region, {@link
 * #history} all of them.
 *
 * <p>A query that would lose or double rows is not built: on a checkpoint that the output is ahead
 * of, on one whose output is gone, on one in use, on a damaged one, with nested directories. The
 * exception says what to do. Not noticed are a second process on the same checkpoint, a changed
 * query, for which there is {@link streamingdeepdive.recovery.QuerySignature}, in the file sink an
 * output that another query wrote which has come equally far, and among the revisions a micro-batch
 * whose whole directory was deleted.
 *
 * <p>Small files: a micro-batch writes at most one file per shuffle partition (and date), and the
 * file sink writes one even without rows, unless by date. At a trigger of one minute and 200
 * shuffle partitions that is 1,440 to 288,000 files a day. A longer trigger and fewer shuffle
 * partitions bound it; the latter are fixed by the first start on a checkpoint. Compaction is not
 * handled here, and {@link #latest} and {@link #history} read a small file and all part files of
 * each micro-batch there ever was.
 *
 * <p>A crash between the write and the commit is not noticed by readers. But the file sink passes
 * over a replayed micro-batch that it has already: the watermark goes on as if that one had had no
 * event times, until newer ones come.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#output-sinks">
 *     Guide: Output Sinks</a>
 */
public final class ParquetSink {
  private ParquetSink() {}

  /**
   * Writes each row once, in append mode.
   *
   * @param totals any rows, of an aggregation only with a watermark
   * @param output a directory on any Hadoop file system, kept as long as the checkpoint
   * @param checkpoint a directory on any Hadoop file system
   * @return the query, to be started
   * @throws IllegalStateException if checkpoint and output do not belong together, or the
   *     checkpoint is in use or damaged
   * @throws IllegalArgumentException if input, output or checkpoint is inside another
   */
  public static DataStreamWriter<Row> buildQuery(
      Dataset<Row> totals, String output, String checkpoint) {
    return buildQuery(totals, output, checkpoint, false);
  }

  /**
   * Writes each row once, in append mode.
   *
   * @param totals any rows, of an aggregation only with a watermark; {@code window} if by date
   * @param output a directory on any Hadoop file system, kept as long as the checkpoint
   * @param checkpoint a directory on any Hadoop file system
   * @param byDate whether to make a directory {@code date=2026-01-01} for each day of UTC that
   *     windows start on
   * @return the query, to be started
   * @throws IllegalStateException if checkpoint and output do not belong together, or the
   *     checkpoint is in use or damaged
   * @throws IllegalArgumentException if input, output or checkpoint is inside another
   */
  public static DataStreamWriter<Row> buildQuery(
      Dataset<Row> totals, String output, String checkpoint, boolean byDate) {
    Checkpoint start = Checkpoint.at(totals.sparkSession(), checkpoint);
    start.requireUsable(totals, output);
    FileSinkOutput.at(totals.sparkSession(), output).requireWrittenFrom(start);
    DataStreamWriter<Row> writer =
        (byDate ? withDate(totals) : totals)
            .writeStream()
            .outputMode(OutputMode.Append())
            .format("parquet")
            .option("path", output)
            .option("checkpointLocation", checkpoint);
    return byDate ? writer.partitionBy("date") : writer;
  }

  /**
   * Reads the final totals.
   *
   * @param spark any session
   * @param output the directory that {@link #buildQuery} writes
   * @return a batch Dataset of {@code window} STRUCT of {@code start} and {@code end} TIMESTAMP,
   *     {@code region} STRING, {@code total_amount} DOUBLE; without rows if there is nothing yet
   * @throws IllegalStateException if a part file was deleted
   */
  public static Dataset<Row> read(SparkSession spark, String output) {
    return FileSinkOutput.at(spark, output).read(WindowedAggregation.SCHEMA);
  }

  /**
   * Writes each revision of a total once, in update mode.
   *
   * @param totals {@code window} STRUCT, {@code region} STRING, {@code total_amount} DOUBLE
   * @param output a directory on any Hadoop file system, kept as long as the checkpoint
   * @param checkpoint a directory on any Hadoop file system
   * @return the query, to be started
   * @throws IllegalStateException if checkpoint and output do not belong together, or the
   *     checkpoint is in use or damaged
   * @throws IllegalArgumentException if input, output or checkpoint is inside another
   */
  public static DataStreamWriter<Row> buildUpdateQuery(
      Dataset<Row> totals, String output, String checkpoint) {
    return buildUpdateQuery(totals, output, checkpoint, false);
  }

  /**
   * Writes each revision of a total once, in update mode.
   *
   * @param totals {@code window} STRUCT, {@code region} STRING, {@code total_amount} DOUBLE
   * @param output a directory on any Hadoop file system, kept as long as the checkpoint
   * @param checkpoint a directory on any Hadoop file system
   * @param byDate whether to make a directory {@code date=2026-01-01} for each day of UTC that
   *     windows start on
   * @return the query, to be started
   * @throws IllegalStateException if checkpoint and output do not belong together, or the
   *     checkpoint is in use or damaged
   * @throws IllegalArgumentException if input, output or checkpoint is inside another
   */
  public static DataStreamWriter<Row> buildUpdateQuery(
      Dataset<Row> totals, String output, String checkpoint, boolean byDate) {
    Checkpoint start = Checkpoint.at(totals.sparkSession(), checkpoint);
    start.requireUsable(totals, output);
    BatchDirectories.at(totals.sparkSession(), output).requireWrittenFrom(start);
    String[] partitionColumns = byDate ? new String[] {"date"} : new String[0];
    VoidFunction2<Dataset<Row>, Long> write =
        (batch, batchId) ->
            BatchDirectories.at(batch.sparkSession(), output)
                .write(batch, batchId, partitionColumns);
    return (byDate ? withDate(totals) : totals)
        .writeStream()
        .outputMode(OutputMode.Update())
        .foreachBatch(write)
        .option("checkpointLocation", checkpoint);
  }

  /**
   * Reads every revision of every total.
   *
   * @param spark any session
   * @param output the directory that {@link #buildUpdateQuery} writes
   * @return a batch Dataset with the columns of {@link #read} and {@code batch} BIGINT, the
   *     micro-batch of the revision; without rows if there is nothing yet
   * @throws IllegalStateException if a part file was deleted
   */
  public static Dataset<Row> history(SparkSession spark, String output) {
    return BatchDirectories.at(spark, output).read(WindowedAggregation.SCHEMA);
  }

  /**
   * Reads the newest revision of each total.
   *
   * @param spark any session
   * @param output the directory that {@link #buildUpdateQuery} writes
   * @return a batch Dataset with the columns of {@link #read}; without rows if there is nothing yet
   * @throws IllegalStateException if a part file was deleted
   */
  public static Dataset<Row> latest(SparkSession spark, String output) {
    return history(spark, output)
        .groupBy("window", "region")
        .agg(max_by(col("total_amount"), col("batch")).as("total_amount"));
  }

  private static Dataset<Row> withDate(Dataset<Row> totals) {
    return totals.withColumn(
        "date",
        date_from_unix_date(floor(unix_seconds(col("window.start")).divide(86400)).cast("int")));
  }

  /**
   * Writes the totals both ways and prints what the readers find.
   *
   * @param args see {@code --help}
   * @throws Exception if the query cannot start, or dies
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson =
        LessonRun.open(
            args,
            "Writes totals to Parquet: once when they are final, and each revision.",
            "input",
            "output",
            "checkpoint")) {
      SparkSession spark = lesson.spark();
      Dataset<Row> sales = FileSource.read(spark, lesson.input("sales"));
      Dataset<Row> totals = WindowedAggregation.buildQuery(sales);
      String finals = lesson.output("final");
      String revisions = lesson.output("latest");
      StreamingQuery once =
          buildQuery(totals, finals, lesson.checkpoint("final")).queryName("final").start();
      StreamingQuery each =
          buildUpdateQuery(totals, revisions, lesson.checkpoint("latest"))
              .queryName("latest")
              .start();
      lesson.show(once, () -> read(spark, finals));
      lesson.show(each, () -> latest(spark, revisions));
      lesson.replay(once, each);
      lesson.printTable("every revision", history(spark, revisions));
    }
  }
}
