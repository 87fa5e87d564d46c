package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.decode;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.udf;

import java.io.IOException;
import java.util.List;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.types.StructType;
import streamingdeepdive.app.LessonRun;
import streamingdeepdive.recovery.BatchDirectories;
import streamingdeepdive.recovery.Checkpoint;

/**
 * Rejected lines: where does a line go that is not JSON, or lacks a field, if neither the query may
 * die of it nor a total be wrong?
 *
 * <p>Spark's JSON source makes nulls of what it does not understand: a row without a time vanishes
 * in the next window, and {@code numInputRows} counts it like any other. {@link FileSource} reads
 * like that. Here the raw text is kept, and each line is either accepted, with all three columns
 * valid, or rejected, with the reason. {@link #judge} decides it, for {@link KafkaSource} too. One
 * query writes the totals of the accepted lines, and the rejected ones beside them:
 *
 * <pre>{@code
 * == rejected
 * +---------------------------------------------------------------------------------+----------------+---------------------------------------------+
 * |raw                                                                              |file            |reason                                       |
 * +---------------------------------------------------------------------------------+----------------+---------------------------------------------+
 * |                                                                                 |01-not-json.json|blank                                        |
 * |["2026-01-01T12:01:00Z","eu",10.0]                                               |01-not-json.json|not a JSON object                            |
 * |event_time,region,amount                                                         |01-not-json.json|not JSON                                     |
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/BadRecords.txt">BadRecords.txt</a>. The query has no
 * state: an aggregation would give its totals, and nothing would be left of the rejected lines.
 * Each micro-batch writes two directories; a replay after a crash overwrites them, so that each
 * line is there exactly once. On another checkpoint all lines would be there twice, so the query is
 * not built. The two are not written at one moment, and reading costs more with every micro-batch:
 * see {@link ParquetSink}. The raw text has no line end and no byte-order mark. Bytes that are not
 * UTF-8 come as U+FFFD.
 *
 * <p>Before: {@link SocketSource}. Next: {@link Joins}. Trap: {@link
 * streamingdeepdive.trap.FutureEvents}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#foreachbatch">
 *     Guide: ForeachBatch</a>
 */
public final class BadRecords {
  private static final String REJECTED = "raw STRING, file STRING, reason STRING";

  private BadRecords() {}

  /**
   * Reads a directory as a stream, one file per micro-batch, and judges each line. A blank line is
   * rejected like any other.
   *
   * @param spark the session
   * @param directory a directory or pattern of directories on any Hadoop file system
   * @return a streaming Dataset of {@link FileSource#SCHEMA}, all three null in a rejected line,
   *     and {@code raw} STRING, the line; {@code file} STRING, its file's name; {@code reason}
   *     STRING, null in an accepted line
   */
  public static Dataset<Row> read(SparkSession spark, String directory) {
    return spark
        .readStream()
        .option("maxFilesPerTrigger", FileSource.FILES_PER_TRIGGER)
        .options(DirectoryFiles.options(spark, directory))
        .text(directory)
        .select(
            decode(col("value").cast("binary"), "UTF-8").as("raw"),
            // Spark gives the name as a part of a URL, but leaves a plus as it is.
            expr("url_decode(replace(_metadata.file_name, '+', '%2B')) AS file"),
            judge(col("value")).as("sale"))
        .select("sale.event_time", "sale.region", "sale.amount", "raw", "file", "sale.reason");
  }

  /**
   * Judges a line of any source. Select the struct first, then its fields, and Spark parses once.
   *
   * @param line STRING; a null is rejected
   * @return a struct of {@link FileSource#SCHEMA}, all three null in a rejected line, and {@code
   *     reason} STRING, null in an accepted line
   */
  public static Column judge(Column line) {
    UDF1<String, Row> judge =
        text -> {
          SaleLine sale = SaleLine.parse(text);
          return RowFactory.create(sale.eventTime(), sale.region(), sale.amount(), sale.reason());
        };
    return udf(judge, StructType.fromDDL(FileSource.SCHEMA + ", reason STRING"))
        .withName("judge")
        .asNondeterministic() // Spark would copy the call into each condition on a field
        .apply(line);
  }

  /**
   * Selects the accepted lines.
   *
   * @param lines as {@link #read} gives them, or any with the fields of {@link #judge}
   * @return {@link FileSource#SCHEMA}, none null
   */
  public static Dataset<Row> accepted(Dataset<Row> lines) {
    return lines.where(col("reason").isNull()).select("event_time", "region", "amount");
  }

  /**
   * Selects the rejected lines.
   *
   * @param lines as {@link #read} gives them, streaming or batch
   * @return {@code raw} STRING, {@code file} STRING, {@code reason} STRING, none null
   */
  public static Dataset<Row> rejected(Dataset<Row> lines) {
    return lines.where(col("reason").isNotNull()).select("raw", "file", "reason");
  }

  /**
   * Writes, for each micro-batch, its rejected lines and what its accepted lines add to the totals.
   *
   * @param lines as {@link #read} gives them
   * @param output a directory on any Hadoop file system, kept as long as the checkpoint
   * @param checkpoint a directory on any Hadoop file system
   * @return the query, to be started
   * @throws IllegalStateException if checkpoint and output do not belong together, or the
   *     checkpoint is in use or damaged
   * @throws IllegalArgumentException if input, output or checkpoint is inside another
   */
  public static DataStreamWriter<Row> buildQuery(
      Dataset<Row> lines, String output, String checkpoint) {
    Checkpoint start = new Checkpoint(lines.sparkSession(), checkpoint);
    start.requireUsable(lines, output);
    for (String table : List.of("/rejected", "/totals")) {
      new BatchDirectories(lines.sparkSession(), output + table).requireWrittenFrom(start);
    }
    VoidFunction2<Dataset<Row>, Long> write =
        (batch, batchId) -> {
          batch.persist();
          try {
            overwrite(rejected(batch), output + "/rejected", batchId);
            overwrite(WindowedAggregation.buildQuery(accepted(batch)), output + "/totals", batchId);
          } finally {
            batch.unpersist();
          }
        };
    return lines.writeStream().foreachBatch(write).option("checkpointLocation", checkpoint);
  }

  /** A replay overwrites what the micro-batch wrote before, and nothing else. */
  private static void overwrite(Dataset<Row> rows, String output, long batchId) throws IOException {
    new BatchDirectories(rows.sparkSession(), output).prepare(batchId);
    rows.coalesce(1)
        .write()
        .mode(SaveMode.Overwrite)
        // Whatever the session says: the directory is marked when it is complete.
        .option("mapreduce.fileoutputcommitter.marksuccessfuljobs", true)
        .parquet(output + "/batch=" + batchId);
  }

  /**
   * Reads the totals of all micro-batches so far.
   *
   * @param spark the session
   * @param output the same as for {@link #buildQuery}
   * @return a batch Dataset of {@link WindowedAggregation#SCHEMA}
   * @throws IllegalStateException if a micro-batch is replayed meanwhile
   */
  public static Dataset<Row> readTotals(SparkSession spark, String output) {
    return new BatchDirectories(spark, output + "/totals")
        .read(WindowedAggregation.SCHEMA)
        .groupBy("window", "region")
        .agg(sum("total_amount").as("total_amount"));
  }

  /**
   * Reads the rejected lines of all micro-batches so far.
   *
   * @param spark the session
   * @param output the same as for {@link #buildQuery}
   * @return a batch Dataset of {@code raw} STRING, {@code file} STRING, {@code reason} STRING
   * @throws IllegalStateException if a micro-batch is replayed meanwhile
   */
  public static Dataset<Row> readRejected(SparkSession spark, String output) {
    return new BatchDirectories(spark, output + "/rejected")
        .read(REJECTED)
        .drop(BatchDirectories.BATCH);
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
          buildQuery(read(spark, lesson.input("bad-records")), output, lesson.checkpoint("lines"))
              .start();
      lesson.replay(query);
      lesson.printTable("accepted", readTotals(spark, output));
      lesson.printTable("rejected", readRejected(spark, output));
    }
  }
}
