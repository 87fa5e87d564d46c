package streamingdeepdive.bench;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.to_json;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileUtil;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LocalBroker;
import streamingdeepdive.app.LocalSpark;
import streamingdeepdive.app.Topic;
import streamingdeepdive.lesson.ContinuousProcessing;
import streamingdeepdive.lesson.KafkaSource;
import streamingdeepdive.lesson.OutputModes;

/**
 * Times records one by one from topic to topic, from before they are sent until a consumer has
 * them. Prints the median and the 99th percentile in milliseconds.
 */
final class RecordLatency {
  /** The triggers that are compared. */
  enum Processing {
    MICRO_BATCH,
    CONTINUOUS;

    DataStreamWriter<Row> writer(Dataset<Row> rows) {
      return this == CONTINUOUS
          ? ContinuousProcessing.continuous(rows, 1)
          : OutputModes.append(rows);
    }
  }

  private RecordLatency() {}

  /**
   * Arguments: the processing, the milliseconds that Spark's source waits for more records (500 is
   * the default), the records to warm up with, the records to time.
   */
  public static void main(String[] args) throws Exception {
    Path directory = Files.createTempDirectory("bench-");
    SparkSession spark = LocalSpark.open("bench");
    try (LocalBroker broker = LocalBroker.start();
        Topic input = Topic.create(broker.bootstrapServers(), "input", 1);
        Topic output = Topic.create(broker.bootstrapServers(), "output", 1);
        Consumer<String, String> consumer = consumer(output)) {
      StreamingQuery query =
          Processing.valueOf(args[0])
              .writer(rows(spark, input, args[1]))
              .format("kafka")
              .option("kafka.bootstrap.servers", broker.bootstrapServers())
              .option("topic", "output")
              .option("checkpointLocation", directory.resolve("checkpoint").toString())
              .start();
      measure(input, consumer, Integer.parseInt(args[2]));
      double[] millis = measure(input, consumer, Integer.parseInt(args[3]));
      query.stop();
      Arrays.sort(millis);
      System.out.printf("%.1f %.1f%n", millis[millis.length / 2], millis[millis.length * 99 / 100]);
    } finally {
      LocalSpark.close(spark);
      FileUtil.fullyDelete(directory.toFile());
    }
  }

  private static Dataset<Row> rows(SparkSession spark, Topic input, String fetchWait) {
    Dataset<Row> records =
        KafkaSource.records(
            spark,
            input.bootstrapServers(),
            input.name(),
            Map.of("kafka.fetch.max.wait.ms", fetchWait));
    return ContinuousProcessing.buildQuery(KafkaSource.events(records))
        .select(to_json(struct(col("*"))).as("value"));
  }

  private static Consumer<String, String> consumer(Topic output) {
    Consumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", output.bootstrapServers()),
            new StringDeserializer(),
            new StringDeserializer());
    List<TopicPartition> partitions = List.of(new TopicPartition(output.name(), 0));
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    return consumer;
  }

  private static double[] measure(Topic input, Consumer<String, String> consumer, int records) {
    double[] millis = new double[records];
    for (int i = 0; i < records; i++) {
      long start = System.nanoTime();
      input.land(
          null,
          null,
          List.of("{\"event_time\":\"2026-01-01T12:00:00Z\",\"region\":\"eu\",\"amount\":1.0}"));
      while (consumer.poll(Duration.ofSeconds(60)).isEmpty()) {
        // The first one takes as long as the query needs to start.
      }
      millis[i] = (System.nanoTime() - start) / 1e6;
    }
    return millis;
  }
}
