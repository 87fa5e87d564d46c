package streamingdeepdive.testkit;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.from_json;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import streamingdeepdive.app.Topic;

/**
 * A Kafka topic as a stream, on a broker that all tests of a JVM share. Each row is a record with
 * JSON for its value and, unless added by {@link #key}, without a key. A micro-batch takes all that
 * has been added before it starts.
 *
 * <p>Tests that use it need a broker on their class path; the page of the package has the
 * dependency.
 */
public final class KafkaStream implements StreamInput {
  /** Without the half second that Spark's source by default waits at the end of a topic. */
  public static final Map<String, String> SOURCE = Map.of("kafka.fetch.max.wait.ms", "10");

  private static final AtomicInteger TOPICS = new AtomicInteger();

  private final SparkSession spark;
  private final StructType schema;
  private final Topic topic;

  /**
   * Creates a topic of one partition without records; starts the broker if there is none yet.
   *
   * @param session the session of the test, with which the topic's producer is closed
   * @param columns the columns as in SQL, such as {@code "event_time TIMESTAMP, amount DOUBLE"}
   */
  public KafkaStream(TestSession session, String columns) {
    this(session, columns, 1);
  }

  /**
   * Creates a topic of several partitions.
   *
   * @param session the session of the test, with which the topic's producer is closed
   * @param columns the columns as in SQL
   * @param partitions how many
   */
  public KafkaStream(TestSession session, String columns, int partitions) {
    spark = session.spark();
    schema = StructType.fromDDL(columns);
    topic =
        Topic.create(
            SharedBroker.get().bootstrapServers(), "test-" + TOPICS.getAndIncrement(), partitions);
    session.closes(topic::close);
  }

  private record Part(KafkaStream stream, Integer partition, String key) implements StreamInput {
    @Override
    public void addData(List<Row> rows) {
      stream.topic.land(partition, key, JsonLines.of(stream.spark, stream.schema, rows));
    }

    @Override
    public Dataset<Row> toDF() {
      return stream.toDF();
    }

    @Override
    public String toString() {
      return stream + (key == null ? ".partition(" + partition + ")" : ".key(\"" + key + "\")");
    }
  }

  /**
   * Returns one of the partitions, to add rows to.
   *
   * @param partition its number
   * @return the same stream
   */
  public StreamInput partition(int partition) {
    return new Part(this, partition, null);
  }

  /**
   * Returns the stream, to add rows with a key to; the key decides on the partition.
   *
   * @param key the key of the records
   * @return the same stream
   */
  public StreamInput key(String key) {
    return new Part(this, null, key);
  }

  @Override
  public void addData(List<Row> rows) {
    topic.land(null, null, JsonLines.of(spark, schema, rows));
  }

  /**
   * Adds records of any text, all at once.
   *
   * @param values their values; a null makes a tombstone
   */
  public void addValues(String... values) {
    topic.land(null, null, Arrays.asList(values));
  }

  /**
   * Returns the topic, to be read by the code under test.
   *
   * @return its brokers and its name
   */
  public Topic topic() {
    return topic;
  }

  @Override
  public Dataset<Row> toDF() {
    return spark
        .readStream()
        .format("kafka")
        .options(SOURCE)
        .option("kafka.bootstrap.servers", topic.bootstrapServers())
        .option("subscribe", topic.name())
        .option("startingOffsets", "earliest")
        .load()
        .select(from_json(col("value").cast("string"), schema).as("row"))
        .select("row.*");
  }

  @Override
  public String toString() {
    return "kafka";
  }
}
