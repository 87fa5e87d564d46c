package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;

import java.util.Map;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;
import streamingdeepdive.app.Topic;

/**
 * A Kafka topic of JSON values as a stream. How do the records of a topic become the rows of a
 * table, and what becomes of those that cannot?
 *
 * <p>The source gives each record as it is: bytes, topic, partition, offset. {@link #events} parses
 * the values into the columns {@link FileSource#SCHEMA}, so that a query such as {@link
 * WindowedAggregation} runs on a topic as it does on files. A value that is not a valid sale, as
 * {@link BadRecords#judge} decides, is left out there; {@link #rejected} has it with its place in
 * the topic and the reason. {@link #main} runs both queries. The totals are those of {@link
 * WindowedAggregation}, and nothing in the sample data is rejected:
 *
 * <pre>{@code
 * == 03-late-but-counted.json
 * {"event_time":"2026-01-01T12:03:00Z","region":"eu","amount":100.0}
 * -- totals
 * +------------------------------------------+------+------------+
 * |window                                    |region|total_amount|
 * +------------------------------------------+------+------------+
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|eu    |115.0       |
 * +------------------------------------------+------+------------+
 * watermark 2026-01-01 12:04:00, state rows 4 (1 updated), rows dropped as late 0
 * -- rejected
 * (no rows)
 * watermark none
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/KafkaSource.txt">KafkaSource.txt</a>. Options that
 * start with {@code kafka.} go to Kafka's client, those of security among them. Spark hides
 * passwords in its log, down to the level INFO. When Spark refuses a query, it adds the plan, with
 * the passwords, to the message of the {@code AnalysisException}: print the first line of that
 * message only. The mains do.
 *
 * <p>Before: {@link ContinuousProcessing}. Next: {@link SocketSource}. Trap: {@link
 * streamingdeepdive.trap.UnlimitedBacklog}.
 *
 * @see <a href="https://spark.apache.org/docs/3.5.7/structured-streaming-kafka-integration.html">
 *     Structured Streaming + Kafka Integration Guide</a>
 */
public final class KafkaSource {
  /** Where a query without a checkpoint starts. Spark's default, {@code latest}, skips the past. */
  public static final String STARTING_OFFSETS = "earliest";

  private KafkaSource() {}

  /**
   * Reads the events of a topic as a stream, from its first record. Values that are not valid sales
   * are left out; run a query on {@link #rejected} too, or they are lost.
   *
   * @param spark the session
   * @param bootstrapServers brokers as {@code host:port}, separated by commas
   * @param topic the topic
   * @return a streaming Dataset of {@link FileSource#SCHEMA}
   */
  public static Dataset<Row> read(SparkSession spark, String bootstrapServers, String topic) {
    return events(records(spark, bootstrapServers, topic, Map.of()));
  }

  /**
   * Reads the records of a topic as a stream, for {@link #events} and {@link #rejected}.
   *
   * <p>Some options: {@code startingOffsets} counts only for a query without a checkpoint. With
   * one, the query goes on after its last micro-batch, and a new partition is read from its start.
   * {@code maxOffsetsPerTrigger} limits the records of a micro-batch; without it the first
   * micro-batch takes all that is there, and no row of it is late. {@code failOnDataLoss}: if
   * records that the query has not read have expired, the query fails; with {@code false} it goes
   * on without them, and Spark logs a warning. A topic that does not exist or was deleted fails the
   * query in either case.
   *
   * @param spark the session
   * @param bootstrapServers brokers as {@code host:port}, separated by commas
   * @param topic the topic; if it does not exist, the query fails
   * @param options further options of Spark's Kafka source; {@code startingOffsets} is {@value
   *     #STARTING_OFFSETS} if it is not among them
   * @return a streaming Dataset of {@code value} BINARY and the other columns of Spark's source
   */
  public static Dataset<Row> records(
      SparkSession spark, String bootstrapServers, String topic, Map<String, String> options) {
    return spark
        .readStream()
        .format("kafka")
        .option("startingOffsets", STARTING_OFFSETS)
        .options(options)
        .option("kafka.bootstrap.servers", bootstrapServers)
        .option("subscribe", topic)
        .load();
  }

  /**
   * Reads the records that are in a topic now as a table.
   *
   * @param spark the session
   * @param bootstrapServers brokers as {@code host:port}, separated by commas
   * @param topic the topic
   * @param options further options of Spark's Kafka source
   * @return a batch Dataset with the columns of {@link #records}
   */
  public static Dataset<Row> readTable(
      SparkSession spark, String bootstrapServers, String topic, Map<String, String> options) {
    return spark
        .read()
        .format("kafka")
        .options(options)
        .option("kafka.bootstrap.servers", bootstrapServers)
        .option("subscribe", topic)
        .load();
  }

  /**
   * Keeps the records whose value is a valid sale, as {@link BadRecords#judge} decides.
   *
   * @param records {@code value} BINARY and any others, streaming or batch
   * @return {@link FileSource#SCHEMA}, none null
   */
  public static Dataset<Row> events(Dataset<Row> records) {
    return BadRecords.accepted(
        records.select(BadRecords.judge(text()).as("sale")).select("sale.*"));
  }

  /**
   * Keeps the records that {@link #events} leaves out, with the reason.
   *
   * @param records as the Kafka source gives them, streaming or batch
   * @return {@code topic} STRING, {@code partition} INT, {@code offset} BIGINT, {@code value}
   *     BINARY, which is null for a tombstone, {@code reason} STRING
   */
  public static Dataset<Row> rejected(Dataset<Row> records) {
    return records
        .withColumn("sale", BadRecords.judge(text()))
        .select("topic", "partition", "offset", "value", "sale.reason")
        .where(col("reason").isNotNull());
  }

  private static Column text() {
    return col("value").cast("string");
  }

  /**
   * Prints the updated totals and the rejected records of each micro-batch.
   *
   * @param args none for the sample data, or {@code --bootstrap-servers}, {@code --topic} and
   *     {@code --checkpoint}
   * @throws Exception if the query cannot start or fails
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson =
            LessonRun.open(
                args,
                "Adds up the sales of a topic per five minutes and region.",
                "bootstrap-servers",
                "topic",
                "checkpoint");
        Topic topic = Topic.input(lesson, "sales")) {
      Dataset<Row> records =
          records(lesson.spark(), topic.bootstrapServers(), topic.name(), Map.of());
      Dataset<Row> totals = WindowedAggregation.buildQuery(events(records));
      Dataset<Row> rejected = rejected(records).withColumn("value", col("value").cast("string"));
      lesson.replay(start(lesson, "totals", totals), start(lesson, "rejected", rejected));
    }
  }

  private static StreamingQuery start(LessonRun lesson, String name, Dataset<Row> rows)
      throws Exception {
    return rows.writeStream()
        .queryName(name)
        .outputMode(OutputMode.Update())
        .foreachBatch(lesson::print)
        .option("checkpointLocation", lesson.checkpoint(name))
        .start();
  }
}
