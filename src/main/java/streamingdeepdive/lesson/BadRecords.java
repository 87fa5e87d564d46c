package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.timestamp_micros;

import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamReader;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.types.StructType;
import streamingdeepdive.app.LessonRun;
import streamingdeepdive.recovery.BatchDirectories;

/**
 * Lines that are no sale. Where do they go, if neither the query may die of them nor a total?
 *
 * <p>Spark's JSON source makes nulls of what it does not understand: a row without a time vanishes
 * in the next window, and no metric counts it. {@link FileSource} reads like that. Here the raw
 * text is kept, and each line is either accepted, with all three columns valid, or rejected, with
 * the reason. One query writes the totals of the ones and puts the others into quarantine:
 *
 * <pre>{@code
 * == accepted
 * +------------------------------------------+------+------------+
 * |window                                    |region|total_amount|
 * +------------------------------------------+------+------------+
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|eu    |15.0        |
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|us    |7.0         |
 * |{2026-01-01 12:05:00, 2026-01-01 12:10:00}|ap    |4.0         |
 * +------------------------------------------+------+------------+
 *
 * == rejected
 * +---------------------------------------------------------------------------------+----------------+---------------------------------------------+
 * |raw                                                                              |file            |reason                                       |
 * +---------------------------------------------------------------------------------+----------------+---------------------------------------------+
 * |                                                                                 |01-not-json.json|blank                                        |
 * |["2026-01-01T12:01:00Z","eu",10.0]                                               |01-not-json.json|not a JSON object                            |
 * |event_time,region,amount                                                         |01-not-json.json|not JSON                                     |
 * |{"event_time":"+55970-01-01T12:03:00Z","region":"eu","amount":1.0}               |03-times.json   |event_time is not in the years 1900 to 9999  |
 * |{"event_time":"12:03:00Z","region":"eu","amount":1.0}                            |03-times.json   |event_time is not a date and time with a zone|
 * |{"event_time":"2026-01-01T12:01:00Z","region":"eu","amou                         |01-not-json.json|half a line                                  |
 * |{"event_time":"2026-01-01T12:02:00Z","region":"eu","amount":5.0}{}               |01-not-json.json|more than one JSON value                     |
 * |{"event_time":"2026-01-01T12:02:00Z","region":"us","amount":7.0}}                |01-not-json.json|not JSON                                     |
 * |{"event_time":"2026-01-01T12:03:00","region":"eu","amount":1.0}                  |03-times.json   |event_time is not a date and time with a zone|
 * |{"event_time":"2026-01-01T12:03:00Z","amount":1.0}                               |02-fields.json  |no region                                    |
 * |{"event_time":"2026-01-01T12:03:00Z","region":"eu","amount":"1.0"}               |04-amounts.json |amount is not a number                       |
 * |{"event_time":"2026-01-01T12:03:00Z","region":"eu","amount":-Infinity}           |04-amounts.json |amount is not finite                         |
 * |{"event_time":"2026-01-01T12:03:00Z","region":"eu","amount":1.0,"currency":"EUR"}|02-fields.json  |unknown field currency                       |
 * |{"event_time":"2026-01-01T12:03:00Z","region":"eu","amount":1e400}               |04-amounts.json |amount is not finite                         |
 * |{"event_time":"2026-01-01T12:03:00Z","region":"eu","amount":NaN}                 |04-amounts.json |amount is not finite                         |
 * |{"event_time":"2026-01-01T12:03:00Z","region":"eu","amount":null}                |04-amounts.json |amount is null                               |
 * |{"event_time":"2026-01-01T12:03:00Z","region":"eu","region":"us","amount":1.0}   |02-fields.json  |a field twice                                |
 * |{"event_time":"2026-01-01T12:03:00Z","region":5,"amount":1.0}                    |02-fields.json  |region is not text                           |
 * |{"event_time":"2026-01-01T12:03:00Z","region":null,"amount":1.0}                 |02-fields.json  |region is null                               |
 * |{"event_time":"yesterday","region":"eu","amount":1.0}                            |03-times.json   |event_time is not a date and time with a zone|
 * |{"event_time":1767268980000,"region":"eu","amount":1.0}                          |03-times.json   |event_time is not text                       |
 * |{"event_time":null,"region":"eu","amount":1.0}                                   |03-times.json   |event_time is null                           |
 * +---------------------------------------------------------------------------------+----------------+---------------------------------------------+
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/BadRecords.txt">BadRecords.txt</a>.
 *
 * <p>The query has no state: an aggregation would give its totals, and nothing would be left of the
 * rejected lines. Each micro-batch writes two directories, the rejected lines and what the accepted
 * ones add to the totals. One that is replayed after a crash replaces its own two, so that each
 * line is there exactly once. On another checkpoint the query dies before it writes: all lines
 * would be there twice.
 *
 * <p>The raw text has no line end and no byte-order mark. Bytes that are not UTF-8 come as U+FFFD,
 * the replacement character.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#foreachbatch">
 *     Guide: ForeachBatch</a>
 */
public final class BadRecords {
  private static final String JUDGED =
      "micros BIGINT, region STRING, amount DOUBLE, raw STRING, file STRING, reason STRING";

  private static final String REJECTED = "raw STRING, file STRING, reason STRING";

  private BadRecords() {}

  /**
   * Reads a directory as a stream, one file per micro-batch, and judges each line. A blank line is
   * rejected like any other that is no sale.
   *
   * @param spark the session
   * @param directory a directory or pattern of directories on any Hadoop file system
   * @return a streaming Dataset of {@code event_time} TIMESTAMP, {@code region} STRING, {@code
   *     amount} DOUBLE, all three null in a rejected line, and {@code raw} STRING, the line; {@code
   *     file} STRING, its file's name; {@code reason} STRING, null in an accepted line
   */
  public static Dataset<Row> read(SparkSession spark, String directory) {
    return read(
        spark.readStream().option("maxFilesPerTrigger", FileSource.FILES_PER_TRIGGER), directory);
  }

  /**
   * Reads a directory as a stream and judges each line.
   *
   * @param reader with the options of the file source, such as {@code maxFilesPerTrigger}
   * @param directory a directory or pattern of directories on any Hadoop file system
   * @return as above
   */
  public static Dataset<Row> read(DataStreamReader reader, String directory) {
    return judge(
        reader
            .text(directory)
            .select(col("value").as("raw"), col("_metadata.file_name").as("file")));
  }

  /**
   * Judges lines.
   *
   * @param lines {@code raw} STRING, {@code file} STRING, streaming or batch
   * @return as {@link #read}
   */
  public static Dataset<Row> judge(Dataset<Row> lines) {
    MapFunction<Row, Row> judge =
        line -> {
          SaleLine sale = SaleLine.parse(line.getString(0));
          return RowFactory.create(
              sale.eventMicros(),
              sale.region(),
              sale.amount(),
              line.getString(0),
              line.getString(1),
              sale.reason());
        };
    return lines
        .select("raw", "file")
        .map(judge, Encoders.row(StructType.fromDDL(JUDGED)))
        .select(
            timestamp_micros(col("micros")).as("event_time"),
            col("region"),
            col("amount"),
            col("raw"),
            col("file"),
            col("reason"));
  }

  /**
   * The lines that are sales.
   *
   * @param lines as {@link #read} gives them, streaming or batch
   * @return {@code event_time} TIMESTAMP, {@code region} STRING, {@code amount} DOUBLE, none null
   */
  public static Dataset<Row> accepted(Dataset<Row> lines) {
    return lines.where(col("reason").isNull()).select("event_time", "region", "amount");
  }

  /**
   * The lines that are not.
   *
   * @param lines as {@link #read} gives them, streaming or batch
   * @return {@code raw} STRING, {@code file} STRING, {@code reason} STRING, none null
   */
  public static Dataset<Row> rejected(Dataset<Row> lines) {
    return lines.where(col("reason").isNotNull()).select("raw", "file", "reason");
  }

  /**
   * Writes, for each micro-batch, what its accepted lines add to the totals, and its rejected
   * lines. The query dies of an IllegalStateException if another checkpoint wrote the directory.
   *
   * @param lines as {@link #read} gives them
   * @param directory where to write, on any Hadoop file system
   * @return the query, not started
   */
  public static DataStreamWriter<Row> buildQuery(Dataset<Row> lines, String directory) {
    VoidFunction2<Dataset<Row>, Long> sink =
        (batch, batchId) -> {
          batch.persist();
          try {
            rejectedIn(batch.sparkSession(), directory).write(rejected(batch).coalesce(1), batchId);
            totalsIn(batch.sparkSession(), directory)
                .write(WindowedAggregation.buildQuery(accepted(batch)).coalesce(1), batchId);
          } finally {
            batch.unpersist();
          }
        };
    return lines.writeStream().foreachBatch(sink);
  }

  private static BatchDirectories rejectedIn(SparkSession spark, String directory) {
    return BatchDirectories.at(spark, directory + "/rejected");
  }

  private static BatchDirectories totalsIn(SparkSession spark, String directory) {
    return BatchDirectories.at(spark, directory + "/totals");
  }

  /**
   * Reads the totals of all micro-batches so far.
   *
   * @param spark the session
   * @param directory the same as for {@link #buildQuery}
   * @return {@code window} STRUCT of {@code start} and {@code end} TIMESTAMP, {@code region}
   *     STRING, {@code total_amount} DOUBLE
   */
  public static Dataset<Row> readTotals(SparkSession spark, String directory) {
    return totalsIn(spark, directory)
        .read(WindowedAggregation.SCHEMA)
        .groupBy("window", "region")
        .agg(sum("total_amount").as("total_amount"));
  }

  /**
   * Reads the rejected lines of all micro-batches so far.
   *
   * @param spark the session
   * @param directory the same as for {@link #buildQuery}
   * @return {@code raw} STRING, {@code file} STRING, {@code reason} STRING
   */
  public static Dataset<Row> readRejected(SparkSession spark, String directory) {
    return rejectedIn(spark, directory).read(REJECTED).drop(BatchDirectories.BATCH);
  }

  /**
   * Runs the query, then prints what it has written.
   *
   * @param args see {@code --help}
   * @throws Exception if the query cannot start, or dies
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson =
        LessonRun.open(
            args,
            "Writes the totals of the accepted lines, and the rejected lines.",
            "input",
            "output",
            "checkpoint")) {
      SparkSession spark = lesson.spark();
      String output = lesson.output("lines");
      StreamingQuery query =
          buildQuery(read(spark, lesson.input("bad-records")), output)
              .option("checkpointLocation", lesson.checkpoint("lines"))
              .start();
      lesson.replay(query);
      lesson.printTable("accepted", readTotals(spark, output));
      lesson.printTable("rejected", readRejected(spark, output));
    }
  }
}
