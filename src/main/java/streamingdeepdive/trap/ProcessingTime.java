package streamingdeepdive.trap;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.window;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;
import streamingdeepdive.lesson.DirectoryFiles;
import streamingdeepdive.lesson.FileSource;

/**
 * Windows on the time at which an event is processed. Why does the same day give other totals when
 * it is replayed?
 *
 * <p>Such a window tells when the events were received, not when the sales were made. After an
 * outage it shows a peak that never was, and a replay puts a whole day into one window. On event
 * time the totals are the same however the events are delivered, as long as none is later than the
 * delay threshold allows. Three regions have the same four sales: {@code eu} without a delay,
 * {@code us} after an outage, {@code ap} replayed on the next day:
 *
 * <pre>{@code
 * == 03-replayed.json
 * {"event_time":"2026-01-01T12:01:00Z","region":"ap","amount":10.0,"processing_time":"2026-01-02T09:00:00Z"}
 * {"event_time":"2026-01-01T12:04:00Z","region":"ap","amount":5.0,"processing_time":"2026-01-02T09:00:00Z"}
 * {"event_time":"2026-01-01T12:06:00Z","region":"ap","amount":7.0,"processing_time":"2026-01-02T09:00:00Z"}
 * {"event_time":"2026-01-01T12:12:00Z","region":"ap","amount":1.0,"processing_time":"2026-01-02T09:00:00Z"}
 * -- processing time
 * +------------------------------------------+------+------------+
 * |window                                    |region|total_amount|
 * +------------------------------------------+------+------------+
 * |{2026-01-02 09:00:00, 2026-01-02 09:05:00}|ap    |23.0        |
 * +------------------------------------------+------+------------+
 * watermark 2026-01-02 08:50:00, state rows 1 (1 updated), rows dropped as late 0
 * -- event time
 * +------------------------------------------+------+------------+
 * |window                                    |region|total_amount|
 * +------------------------------------------+------+------------+
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|ap    |15.0        |
 * |{2026-01-01 12:05:00, 2026-01-01 12:10:00}|ap    |7.0         |
 * |{2026-01-01 12:10:00, 2026-01-01 12:15:00}|ap    |1.0         |
 * +------------------------------------------+------+------------+
 * watermark 2026-01-01 12:02:00, state rows 9 (3 updated), rows dropped as late 0
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/ProcessingTime.txt">ProcessingTime.txt</a>. The
 * processing time is a column here, so that each run outputs the same. Usually it is {@code
 * current_timestamp()}, the start of the micro-batch, and no two runs output the same.
 *
 * <p>Lesson: {@link streamingdeepdive.lesson.WindowedAggregation}. Trap before: {@link
 * LostWatermark}. Next trap: {@link CompleteModeGrowth}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#window-operations-on-event-time">
 *     Guide: Window Operations on Event Time</a>
 */
public final class ProcessingTime {
  /** The columns of an event, and when it was received. */
  public static final String SCHEMA = FileSource.SCHEMA + ", processing_time TIMESTAMP";

  /** How far the watermark stays behind the newest time. */
  public static final String DELAY_THRESHOLD = "10 minutes";

  /** How much time a window spans. */
  public static final String WINDOW_DURATION = "5 minutes";

  private ProcessingTime() {}

  /**
   * Reads a directory as a stream, one file per micro-batch.
   *
   * @param spark the session
   * @param directory a directory or pattern of directories on any Hadoop file system
   * @return a streaming Dataset of {@link FileSource#SCHEMA}, {@code processing_time} TIMESTAMP
   */
  public static Dataset<Row> read(SparkSession spark, String directory) {
    return spark
        .readStream()
        .schema(SCHEMA)
        .option("maxFilesPerTrigger", 1)
        .options(DirectoryFiles.options(spark, directory))
        .option("timeZone", "UTC")
        .json(directory);
  }

  /**
   * The mistake: adds up amounts per region in windows of processing time.
   *
   * @param events {@code processing_time} TIMESTAMP, {@code region} STRING, {@code amount} DOUBLE,
   *     streaming or batch
   * @return {@link streamingdeepdive.lesson.WindowedAggregation#SCHEMA}
   */
  public static Dataset<Row> buildQueryOnProcessingTime(Dataset<Row> events) {
    return totals(events, "processing_time");
  }

  /**
   * The cure: adds up amounts per region in windows of event time.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch
   * @return {@link streamingdeepdive.lesson.WindowedAggregation#SCHEMA}
   */
  public static Dataset<Row> buildQuery(Dataset<Row> events) {
    return totals(events, "event_time");
  }

  private static Dataset<Row> totals(Dataset<Row> events, String time) {
    return events
        .withWatermark(time, DELAY_THRESHOLD)
        .groupBy(window(col(time), WINDOW_DURATION).as("window"), col("region"))
        .agg(sum("amount").as("total_amount"));
  }

  /**
   * Prints the totals of both, in update mode.
   *
   * @param args none: a trap takes no options
   * @throws Exception if the query cannot start or fails
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson =
        LessonRun.open(args, "Adds up sales that are delivered in three ways.")) {
      Dataset<Row> sales = read(lesson.spark(), lesson.input("deliveries"));
      lesson.replay(
          start(lesson, "processing time", buildQueryOnProcessingTime(sales)),
          start(lesson, "event time", buildQuery(sales)));
    }
  }

  private static StreamingQuery start(LessonRun lesson, String name, Dataset<Row> totals)
      throws Exception {
    return totals
        .writeStream()
        .queryName(name)
        .outputMode(OutputMode.Update())
        .foreachBatch(lesson::print)
        .option("checkpointLocation", lesson.checkpoint(name))
        .start();
  }
}
