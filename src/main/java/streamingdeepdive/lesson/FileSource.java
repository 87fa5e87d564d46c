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
 * <p>Structured Streaming lets a query be written as if the whole table were there, and keeps its
 * result up to date while rows are appended. {@link #main} runs one query both ways: over the
 * stream as the sample files land, and over the finished table. Both end in the same rows:
 *
 * <pre>{@code
 * == the same query over the finished table
 * +------+-----+------------+
 * |region|sales|total_amount|
 * +------+-----+------------+
 * |ap    |1    |4.0         |
 * |br    |2    |14.0        |
 * |eu    |7    |1127.0      |
 * |us    |5    |35.0        |
 * +------+-----+------------+
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/FileSource.txt">FileSource.txt</a>.
 *
 * <p>The source takes files in the order of their modification times, and reads each one once, as
 * it is when it is found: what is appended later is never read. So a writer gives a file a name
 * that starts with {@code .} or {@code _} or ends in {@code ._COPYING_}, which the source skips,
 * and renames it when it is complete. A file that is deleted before its micro-batch is lost without
 * an error; one that is deleted under its micro-batch fails the query, which skips it when it is
 * started again.
 *
 * <p>Every other name is read, {@code sales.json.tmp} too, and {@code .gz} is unpacked. Windows
 * line ends, a byte-order mark and a last line without an end do no harm; empty files and blank
 * lines give no rows. Directories within the directory are not read, but a pattern such as {@code
 * sales/*} takes them in. A line that is not JSON comes as a row of nulls; {@link BadRecords} reads
 * the same files without losing it.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#input-sources">
 *     Guide: Input Sources</a>
 */
public final class FileSource {
  /** The columns of an event. A time without a zone is read as UTC. */
  public static final String SCHEMA = "event_time TIMESTAMP, region STRING, amount DOUBLE";

  /**
   * Files per micro-batch. With more, a first start on thousands of files is sooner done, and no
   * row is late against a row of the same micro-batch.
   */
  public static final int FILES_PER_TRIGGER = 1;

  private FileSource() {}

  /**
   * Reads a directory as a stream, {@value #FILES_PER_TRIGGER} file per micro-batch.
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
   * @param filesPerTrigger at most so many files per micro-batch
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
    return spark.read().schema(SCHEMA).option("timeZone", "UTC").json(directory);
  }

  /**
   * Counts and adds up the sales of each region; a query that does not care whether its table
   * grows.
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
