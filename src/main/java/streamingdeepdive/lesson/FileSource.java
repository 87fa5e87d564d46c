package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.sum;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;

/**
 * Files of JSON lines as a stream. What is a stream, if not a table that is never finished?
 *
 * <p>Structured Streaming lets you write a query as if the whole table were there, and keeps its
 * result up to date while rows are appended. It takes new rows in portions, the micro-batches, here
 * a file each. {@link #main} runs one query over the stream, then over the finished table. The
 * stream goes to Spark's console sink, which prints each micro-batch with its number. In complete
 * mode, as here, that is the whole result each time, unsorted:
 *
 * <pre>{@code
 * == 01-on-time.json
 * {"event_time":"2026-01-01T12:01:00Z","region":"eu","amount":10.0}
 * {"event_time":"2026-01-01T12:02:00Z","region":"us","amount":7.0}
 * {"event_time":"2026-01-01T12:04:00Z","region":"eu","amount":5.0}
 * -------------------------------------------
 * Batch: 0
 * -------------------------------------------
 * +------+-----+------------+
 * |region|sales|total_amount|
 * +------+-----+------------+
 * |    us|    1|         7.0|
 * |    eu|    2|        15.0|
 * +------+-----+------------+
 * }</pre>
 *
 * <p>The finished table gives the same rows as Batch 7. For the other modes see {@link
 * OutputModes}; with a {@link Watermark} the console also shows micro-batches without rows.
 *
 * <p>The whole output is in <a href="doc-files/FileSource.txt">FileSource.txt</a>; the last line of
 * each of its steps is from the replay, not from Spark.
 *
 * <p>A line that is not a valid sale becomes a row with nulls, and no error says so: {@code
 * numInputRows} counts it, a null region is a group of its own here, and without a time it is in no
 * window. {@link BadRecords} reads the same files and keeps such lines, with the reason.
 *
 * <p>Next: {@link WindowedAggregation}. Trap: {@link streamingdeepdive.trap.UnlimitedBacklog}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#input-sources">
 *     Guide: Input Sources</a>
 */
public final class FileSource {
  /** The columns of an event. A time without a zone is read as UTC. */
  public static final String SCHEMA = "event_time TIMESTAMP, region STRING, amount DOUBLE";

  /**
   * Files per micro-batch. With more, a first start on thousands of files takes less time, and no
   * row is late against a row of the same micro-batch.
   */
  public static final int FILES_PER_TRIGGER = 1;

  private FileSource() {}

  /**
   * Reads a directory as a stream, {@value #FILES_PER_TRIGGER} file per micro-batch.
   *
   * <p>The source takes files in the order of their modification times, files of the same time in
   * any order. It takes each file once and reads it while its micro-batch runs; what is appended
   * later is never read. So a writer should give a file a name that starts with {@code .} or {@code
   * _} or ends in {@code ._COPYING_}, which the source skips, and rename it when it is complete. A
   * file that is deleted before its micro-batch is lost without an error. One that is deleted
   * during its micro-batch fails the query, which skips the file when it is started again.
   *
   * <p>Every other name is read, {@code sales.json.tmp} too, and {@code .gz} is unpacked. Windows
   * line ends, a byte-order mark and a last line without an end do no harm; empty files and blank
   * lines give no rows. A {@code .gz} that is cut off fails the query, and so does a colon in a
   * name on Hadoop's local file system. Nested directories are not read, except partitions such as
   * {@code region=eu}, whose names give no values: see {@link DirectoryFiles}. A pattern such as
   * {@code sales/*} includes nested directories.
   *
   * <p>By default the source passes over files that are seven days older than the newest one, and
   * so over all others after one with a time in the future. Here {@code maxFileAge} is a thousand
   * years, and the driver keeps the path of every file. The source lists the directory for each
   * micro-batch, and logs all paths anew every tenth time: with 5,000 files that stayed there, a
   * micro-batch took 1.4 times as long as with 250, and the checkpoint had 67 MB; logs that were
   * replaced stay for ten minutes. The paths are in the checkpoint, too: from a directory that was
   * renamed, every file is read again. Sinks that look at the checkpoint refuse that, such as
   * {@link ParquetSink}.
   *
   * @param spark the session
   * @param directory a directory or pattern of directories on any Hadoop file system
   * @return a streaming Dataset of {@link #SCHEMA}
   */
  public static Dataset<Row> read(SparkSession spark, String directory) {
    return read(spark, directory, FILES_PER_TRIGGER);
  }

  /**
   * Reads a directory as a stream.
   *
   * @param spark the session
   * @param directory a directory or pattern of directories on any Hadoop file system
   * @param filesPerTrigger the most files per micro-batch
   * @return a streaming Dataset of {@link #SCHEMA}
   * @throws IllegalArgumentException if {@code filesPerTrigger} is below 1
   */
  public static Dataset<Row> read(SparkSession spark, String directory, int filesPerTrigger) {
    if (filesPerTrigger < 1) {
      throw new IllegalArgumentException(
          "filesPerTrigger is " + filesPerTrigger + "; name a number of files, 1 or more");
    }
    return spark
        .readStream()
        .schema(SCHEMA)
        .option("maxFilesPerTrigger", filesPerTrigger)
        .options(DirectoryFiles.options(spark, directory))
        .option("timeZone", "UTC")
        .json(directory);
  }

  /**
   * Reads the files that are in a directory now as a table.
   *
   * @param spark the session
   * @param directory a directory or pattern of directories on any Hadoop file system
   * @return a batch Dataset of {@link #SCHEMA}
   */
  public static Dataset<Row> readTable(SparkSession spark, String directory) {
    return spark
        .read()
        .schema(SCHEMA)
        .options(DirectoryFiles.options(spark, directory))
        .option("timeZone", "UTC")
        .json(directory);
  }

  /**
   * Counts and adds up the sales of each region. The query is the same for a stream and a table.
   *
   * @param events rows with {@code region} and {@code amount}, streaming or batch
   * @return {@code region} STRING, {@code sales} BIGINT, {@code total_amount} DOUBLE
   */
  public static Dataset<Row> buildQuery(Dataset<Row> events) {
    return events
        .groupBy(col("region"))
        .agg(count(lit(1)).as("sales"), sum("amount").as("total_amount"));
  }

  /**
   * Runs the query over the stream, on Spark's console sink, then over the finished table.
   *
   * @param args none for the sample data, or {@code --input} and {@code --checkpoint}
   * @throws Exception if the query cannot start or fails
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson =
        LessonRun.open(
            args,
            "Runs one query over a stream of files, then over the finished table.",
            "input",
            "checkpoint")) {
      String input = lesson.input("sales");
      StreamingQuery query =
          buildQuery(read(lesson.spark(), input))
              .writeStream()
              .outputMode(OutputMode.Complete())
              .format("console")
              .option("checkpointLocation", lesson.checkpoint("totals"))
              .start();
      lesson.replay(query);
      Dataset<Row> table = readTable(lesson.spark(), input);
      lesson.printTable("the same query over the finished table", buildQuery(table));
    }
  }
}
