package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.date_from_unix_date;
import static org.apache.spark.sql.functions.floor;
import static org.apache.spark.sql.functions.max_by;
import static org.apache.spark.sql.functions.unix_seconds;

import java.util.Arrays;
import java.util.List;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
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
 * <p>A query that died goes on from its checkpoint, and Spark replays the last micro-batch. The
 * file sink logs the files of each one, and passes over one that is in its log. It can only add
 * rows, so a total is written once it is final:
 *
 * <pre>{@code
 * == 01-on-time.json
 * {"event_time":"2026-01-01T12:01:00Z","region":"eu","amount":10.0}
 * {"event_time":"2026-01-01T12:02:00Z","region":"us","amount":7.0}
 * {"event_time":"2026-01-01T12:04:00Z","region":"eu","amount":5.0}
 * -- final
 * (no rows)
 * watermark 2026-01-01 11:54:00, state rows 2 (2 updated), rows dropped as late 0
 * -- latest
 * +------------------------------------------+------+------------+
 * |window                                    |region|total_amount|
 * +------------------------------------------+------+------------+
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|eu    |15.0        |
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|us    |7.0         |
 * +------------------------------------------+------+------------+
 * watermark 2026-01-01 11:54:00, state rows 2 (2 updated), rows dropped as late 0
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/ParquetSink.txt">ParquetSink.txt</a>. The tempting
 * alternative, the file sink in update mode, does not start: {@code Data source parquet does not
 * support Update output mode.} {@link #buildUpdateQuery} does what was meant: each micro-batch
 * overwrites a directory of its own with the totals that changed. {@link #latest} reads the newest
 * revision of each total, {@link #history} all of them. While a micro-batch is replayed, they see
 * the state before it, or fail; without Spark's mark {@code _SUCCESS} they would see half its rows.
 * Reading costs more with every micro-batch there ever was: 0.7 s after 2, 25 s after 5,000. Each
 * leaves a file per shuffle partition. For what must not grow, see {@link DeltaSink}.
 *
 * <p>A query that would lose or double rows is not built, and the exception says what to do. Not
 * noticed are a second process on the same checkpoint, a changed query (see {@link
 * streamingdeepdive.recovery.QuerySignature}), in the file sink another query that has come equally
 * far, and older revisions that were deleted by hand. The event times of a micro-batch that the
 * file sink passes over do not move the watermark.
 *
 * <p>Before: {@link Deduplication}. Next: {@link JdbcSink}. Traps: {@link
 * streamingdeepdive.trap.LostCheckpoint}, {@link streamingdeepdive.trap.ChangedQuery}.
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
   * @param partitionColumns columns to make a directory of for each value, such as {@code region};
   *     {@code date} is added, the day of UTC on which {@code window} starts
   * @return the query, to be started
   * @throws IllegalStateException if checkpoint and output do not belong together, or the
   *     checkpoint is in use or damaged
   * @throws IllegalArgumentException if one directory is inside another, or {@code date} exists
   */
  public static DataStreamWriter<Row> buildQuery(
      Dataset<Row> totals, String output, String checkpoint, String... partitionColumns) {
    Checkpoint start = new Checkpoint(totals.sparkSession(), checkpoint);
    start.requireUsable(totals, output);
    new FileSinkOutput(totals.sparkSession(), output).requireWrittenFrom(start);
    return withDate(totals, partitionColumns)
        .writeStream()
        .outputMode(OutputMode.Append())
        .format("parquet")
        .partitionBy(partitionColumns)
        .option("path", output)
        .option("checkpointLocation", checkpoint);
  }

  /**
   * Reads the final totals.
   *
   * @param spark any session
   * @param output the directory that {@link #buildQuery} writes
   * @return a batch Dataset of {@link WindowedAggregation#SCHEMA}, empty if nothing is there yet
   * @throws IllegalStateException if a part file was deleted
   */
  public static Dataset<Row> read(SparkSession spark, String output) {
    return new FileSinkOutput(spark, output).read(WindowedAggregation.SCHEMA);
  }

  /**
   * Writes each revision of a total once, in update mode.
   *
   * @param totals the columns of {@link WindowedAggregation#SCHEMA}
   * @param output a directory on any Hadoop file system, kept as long as the checkpoint
   * @param checkpoint a directory on any Hadoop file system
   * @param partitionColumns as for {@link #buildQuery}; in one of them Spark reads an empty region
   *     as null
   * @return the query, to be started
   * @throws IllegalStateException if checkpoint and output do not belong together, or the
   *     checkpoint is in use or damaged
   * @throws IllegalArgumentException if input, output or checkpoint is inside another, or the
   *     totals have other columns
   */
  public static DataStreamWriter<Row> buildUpdateQuery(
      Dataset<Row> totals, String output, String checkpoint, String... partitionColumns) {
    ExpectedColumns.require(totals);
    Checkpoint start = new Checkpoint(totals.sparkSession(), checkpoint);
    start.requireUsable(totals, output);
    new BatchDirectories(totals.sparkSession(), output).requireWrittenFrom(start);
    VoidFunction2<Dataset<Row>, Long> write =
        (batch, batchId) -> {
          new BatchDirectories(batch.sparkSession(), output).prepare(batchId);
          batch
              .write()
              .mode(SaveMode.Overwrite)
              // Whatever the session says: all of the directory is replaced, and marked at the end.
              // Spark would write "static" with another capital letter in a Turkish locale.
              .option("partitionOverwriteMode", "STATIC")
              .option("mapreduce.fileoutputcommitter.marksuccessfuljobs", true)
              .partitionBy(partitionColumns)
              .parquet(output + "/batch=" + batchId);
        };
    return withDate(totals, partitionColumns)
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
   * @return a batch Dataset with the columns of {@link #read} and {@code batch} BIGINT
   * @throws IllegalStateException if a micro-batch is replayed meanwhile
   */
  public static Dataset<Row> history(SparkSession spark, String output) {
    return new BatchDirectories(spark, output).read(WindowedAggregation.SCHEMA);
  }

  /**
   * Reads the newest revision of each total.
   *
   * @param spark any session
   * @param output the directory that {@link #buildUpdateQuery} writes
   * @return a batch Dataset with the columns of {@link #read}; without rows if there is nothing yet
   * @throws IllegalStateException if a micro-batch is replayed meanwhile
   */
  public static Dataset<Row> latest(SparkSession spark, String output) {
    return history(spark, output)
        .groupBy("window", "region")
        .agg(max_by(col("total_amount"), col("batch")).as("total_amount"));
  }

  private static Dataset<Row> withDate(Dataset<Row> totals, String[] partitionColumns) {
    if (!List.of(partitionColumns).contains("date")) {
      return totals;
    }
    if (Arrays.stream(totals.columns()).anyMatch("date"::equalsIgnoreCase)) {
      throw new IllegalArgumentException(
          "The query has a column date already, and this sink adds one of the windows. Rename it.");
    }
    Column day = floor(unix_seconds(col("window.start")).divide(86400)).cast("int");
    return totals.withColumn("date", date_from_unix_date(day));
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
      String latest = lesson.output("latest");
      StreamingQuery once =
          buildQuery(totals, finals, lesson.checkpoint("final")).queryName("final").start();
      StreamingQuery each =
          buildUpdateQuery(totals, latest, lesson.checkpoint("latest")).queryName("latest").start();
      lesson.show(once, () -> read(spark, finals));
      lesson.show(each, () -> latest(spark, latest));
      lesson.replay(once, each);
      lesson.printTable("every revision", history(spark, latest));
    }
  }
}
