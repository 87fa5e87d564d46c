package streamingdeepdive.trap;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;
import streamingdeepdive.lesson.DirectoryFiles;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.WindowedAggregation;

/**
 * The first start on a directory that is already full. What becomes of late events?
 *
 * <p>Without {@code maxFilesPerTrigger} all files are one micro-batch, and no row is late against a
 * row of its own micro-batch. With one file per micro-batch the watermark moves between the files.
 * With {@code latestFirst} the newest file moves the watermark first: 11 rows are dropped as late,
 * and the only total is 10.0. The other two ways:
 *
 * <pre>{@code
 * == all files are there
 * -- at once
 * +------------------------------------------+------+------------+
 * |window                                    |region|total_amount|
 * +------------------------------------------+------+------------+
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|eu    |1125.0      |
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|us    |9.0         |
 * |{2026-01-01 12:05:00, 2026-01-01 12:10:00}|ap    |4.0         |
 * |{2026-01-01 12:05:00, 2026-01-01 12:10:00}|us    |20.0        |
 * |{2026-01-01 12:10:00, 2026-01-01 12:15:00}|eu    |2.0         |
 * |{2026-01-01 12:15:00, 2026-01-01 12:20:00}|us    |6.0         |
 * +------------------------------------------+------+------------+
 * watermark 2026-01-01 13:11:00, state rows 1 (7 updated), rows dropped as late 0
 * -- one by one
 * +------------------------------------------+------+------------+
 * |window                                    |region|total_amount|
 * +------------------------------------------+------+------------+
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|eu    |1115.0      |
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|us    |9.0         |
 * |{2026-01-01 12:05:00, 2026-01-01 12:10:00}|ap    |4.0         |
 * |{2026-01-01 12:05:00, 2026-01-01 12:10:00}|us    |20.0        |
 * |{2026-01-01 12:10:00, 2026-01-01 12:15:00}|eu    |2.0         |
 * |{2026-01-01 12:15:00, 2026-01-01 12:20:00}|us    |6.0         |
 * +------------------------------------------+------+------------+
 * watermark 2026-01-01 13:11:00, state rows 1 (13 updated), rows dropped as late 1
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/UnlimitedBacklog.txt">UnlimitedBacklog.txt</a>. See
 * also {@link #readOneByOne}.
 *
 * <p>Lessons: {@link FileSource}, {@link streamingdeepdive.lesson.Triggers}, {@link
 * streamingdeepdive.lesson.KafkaSource}. Trap before: {@link FutureEvents}. Next trap: {@link
 * EndlessSession}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#input-sources">
 *     Guide: Input Sources</a>
 */
public final class UnlimitedBacklog {
  private UnlimitedBacklog() {}

  /**
   * The mistake: reads all files that are there as one micro-batch.
   *
   * @param spark the session
   * @param directory a directory or pattern of directories on any Hadoop file system
   * @return a streaming Dataset of {@link FileSource#SCHEMA}
   */
  public static Dataset<Row> readAtOnce(SparkSession spark, String directory) {
    return spark
        .readStream()
        .schema(FileSource.SCHEMA)
        .options(DirectoryFiles.options(spark, directory))
        .option("timeZone", "UTC")
        .json(directory);
  }

  /**
   * The cure: reads one file per micro-batch, the oldest first.
   *
   * <p>Rows are judged late by the watermark of the micro-batch before, and no no-data micro-batch
   * runs between two files of a backlog. So the 1000.0 of {@code 05-too-late.json} counts in a
   * backlog; when each file is processed before the next one lands, as in {@link
   * WindowedAggregation}, it is dropped. For totals that do not depend on it, choose a delay
   * threshold that no row exceeds, or have the row dropped in both cases: with {@code
   * spark.sql.streaming.statefulOperator.allowMultiple=false}, for a query with one stateful
   * operator.
   *
   * @param spark the session
   * @param directory a directory or pattern of directories on any Hadoop file system
   * @return a streaming Dataset of {@link FileSource#SCHEMA}
   */
  public static Dataset<Row> readOneByOne(SparkSession spark, String directory) {
    return spark
        .readStream()
        .schema(FileSource.SCHEMA)
        .option("maxFilesPerTrigger", 1)
        .options(DirectoryFiles.options(spark, directory))
        .option("timeZone", "UTC")
        .json(directory);
  }

  /**
   * The other mistake: reads one file per micro-batch, the newest first.
   *
   * @param spark the session
   * @param directory a directory or pattern of directories on any Hadoop file system
   * @return a streaming Dataset of {@link FileSource#SCHEMA}
   */
  public static Dataset<Row> readLatestFirst(SparkSession spark, String directory) {
    return spark
        .readStream()
        .schema(FileSource.SCHEMA)
        .option("maxFilesPerTrigger", 1)
        .options(DirectoryFiles.options(spark, directory))
        .option("latestFirst", true)
        .option("timeZone", "UTC")
        .json(directory);
  }

  /**
   * Prints the totals of closed windows, in append mode, and the late rows of each way of reading.
   *
   * @param args none: a trap takes no options
   * @throws Exception if the query cannot start or fails
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson =
        LessonRun.open(args, "Starts on a directory that is full, and reads it in three ways.")) {
      SparkSession spark = lesson.spark();
      String input = lesson.input("sales");
      lesson.feedAll();
      lesson.replay(
          start(lesson, "at once", readAtOnce(spark, input)),
          start(lesson, "one by one", readOneByOne(spark, input)),
          start(lesson, "latest first", readLatestFirst(spark, input)));
    }
  }

  private static StreamingQuery start(LessonRun lesson, String name, Dataset<Row> sales)
      throws Exception {
    return WindowedAggregation.buildQuery(sales)
        .writeStream()
        .queryName(name)
        .outputMode(OutputMode.Append())
        .foreachBatch(lesson::print)
        .option("checkpointLocation", lesson.checkpoint(name))
        .start();
  }
}
