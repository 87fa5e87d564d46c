package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.from_json;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max_by;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.to_json;

import java.util.Map;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;
import streamingdeepdive.app.Topic;

/**
 * Totals as records of a Kafka topic. What does a reader of the topic get, if a micro-batch is
 * written twice?
 *
 * <p>Kafka keeps what was sent, and Spark sends a micro-batch again if it was not committed: the
 * sink is at-least-once. Here the key of a record is what it is about, the start of a window and a
 * region, and its value has the number of its micro-batch. A micro-batch that is written again
 * repeats both. A reader that takes the value with the highest {@code batch_id} for each key, as
 * {@link #latest} does, sees no difference. After the last file it finds:
 *
 * <pre>{@code
 * == 08-redelivered-too-late.json
 * {"event_time":"2026-01-01T12:01:00Z","region":"eu","amount":10.0}
 * {"event_time":"2026-01-01T13:21:00Z","region":"br","amount":8.0}
 * +------------------------------------------+------+------------+
 * |window                                    |region|total_amount|
 * +------------------------------------------+------+------------+
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|eu    |115.0       |
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|us    |9.0         |
 * |{2026-01-01 12:05:00, 2026-01-01 12:10:00}|ap    |4.0         |
 * |{2026-01-01 12:05:00, 2026-01-01 12:10:00}|us    |20.0        |
 * |{2026-01-01 12:10:00, 2026-01-01 12:15:00}|eu    |2.0         |
 * |{2026-01-01 12:15:00, 2026-01-01 12:20:00}|us    |6.0         |
 * |{2026-01-01 13:20:00, 2026-01-01 13:25:00}|br    |14.0        |
 * +------------------------------------------+------+------------+
 * watermark 2026-01-01 13:11:00, state rows 1 (1 updated), rows dropped as late 1
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/KafkaSink.txt">KafkaSink.txt</a>.
 *
 * <p>The tempting alternative is Spark's own Kafka sink, {@code writeStream().format("kafka")}. It
 * does not know the number of the micro-batch, so a reader cannot tell a repeated total from one
 * that happens to be the same.
 *
 * <p>Not handled: the micro-batches of a new checkpoint are numbered from 0 again. Give a query
 * with a new checkpoint a new topic.
 *
 * <p>Before: {@link DeltaSink}. Next: {@link Triggers}. Trap: {@link
 * streamingdeepdive.trap.UnfinishedBatch}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-kafka-integration.html#writing-data-to-kafka">
 *     Guide: Writing Data to Kafka</a>
 */
public final class KafkaSink {
  private static final Map<String, String> JSON =
      Map.of("timeZone", "UTC", "ignoreNullFields", "false");
  private static final String VALUE = WindowedAggregation.SCHEMA + ", batch_id BIGINT";

  private KafkaSink() {}

  /**
   * Writes the updated totals of each micro-batch to a topic.
   *
   * @param totals {@link WindowedAggregation#SCHEMA}, streaming
   * @param bootstrapServers brokers as {@code host:port}, separated by commas
   * @param topic the topic
   * @return the query in update mode, without a checkpoint location, not started
   * @throws IllegalArgumentException if the totals have other columns
   */
  public static DataStreamWriter<Row> buildQuery(
      Dataset<Row> totals, String bootstrapServers, String topic) {
    ExpectedColumns.require(totals);
    return totals
        .writeStream()
        .outputMode(OutputMode.Update())
        .foreachBatch(sink(bootstrapServers, topic, Map.of()));
  }

  /**
   * Makes a sink for {@code foreachBatch}.
   *
   * @param bootstrapServers brokers as {@code host:port}, separated by commas
   * @param topic the topic
   * @param options further options of Spark's Kafka sink, such as {@code kafka.security.protocol}
   * @return writes the totals of a micro-batch
   */
  public static VoidFunction2<Dataset<Row>, Long> sink(
      String bootstrapServers, String topic, Map<String, String> options) {
    return (totals, batchId) ->
        records(totals, batchId)
            .write()
            .format("kafka")
            .options(options)
            .option("kafka.bootstrap.servers", bootstrapServers)
            .option("topic", topic)
            .save();
  }

  /**
   * Turns totals into records.
   *
   * @param totals {@link WindowedAggregation#SCHEMA}
   * @param batchId the micro-batch they come from
   * @return {@code key} and {@code value} STRING, JSON with times in UTC
   * @throws IllegalArgumentException if the totals have other columns
   */
  public static Dataset<Row> records(Dataset<Row> totals, long batchId) {
    ExpectedColumns.require(totals);
    return totals.select(
        to_json(struct(col("window.start"), col("region")), JSON).as("key"),
        to_json(
                struct(
                    col("window"), col("region"), col("total_amount"), lit(batchId).as("batch_id")),
                JSON)
            .as("value"));
  }

  /**
   * Finds the latest total of each window and region, however often its record was written.
   *
   * @param records {@code value} as {@link #records} makes it, STRING or BINARY, streaming or batch
   * @return {@link WindowedAggregation#SCHEMA}
   */
  public static Dataset<Row> latest(Dataset<Row> records) {
    return records
        .select(
            from_json(col("value").cast("string"), VALUE, Map.of("timeZone", "UTC")).as("total"))
        .select("total.*")
        .groupBy("window", "region")
        .agg(max_by(col("total_amount"), col("batch_id")).as("total_amount"));
  }

  /**
   * Prints the latest totals in the topic after each file.
   *
   * @param args none for the sample data, or {@code --input}, {@code --bootstrap-servers}, {@code
   *     --topic} and {@code --checkpoint}
   * @throws Exception if the query cannot start or fails
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson =
            LessonRun.open(
                args,
                "Writes the totals per five minutes and region to a topic.",
                "input",
                "bootstrap-servers",
                "topic",
                "checkpoint");
        Topic topic = Topic.output(lesson, "totals")) {
      SparkSession spark = lesson.spark();
      Dataset<Row> sales = FileSource.read(spark, lesson.input("sales"));
      Dataset<Row> totals = WindowedAggregation.buildQuery(sales);
      StreamingQuery query =
          buildQuery(totals, topic.bootstrapServers(), topic.name())
              .option("checkpointLocation", lesson.checkpoint("totals"))
              .start();
      lesson.show(
          query,
          () ->
              latest(
                  KafkaSource.readTable(spark, topic.bootstrapServers(), topic.name(), Map.of())));
      lesson.replay(query);
    }
  }
}
