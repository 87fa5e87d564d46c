package streamingdeepdive.app;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * A topic of one partition in which records appear in a fixed order, several of them at once: they
 * go to the broker as one batch, of which no reader sees a part.
 */
public final class LandingTopic implements Landing, AutoCloseable {
  private final String bootstrapServers;
  private final String name;
  private final Producer<String, String> producer;

  /**
   * Creates the topic.
   *
   * @param bootstrapServers a broker that has room for it
   * @param name a name that no topic has yet
   */
  public LandingTopic(String bootstrapServers, String name) {
    this.bootstrapServers = bootstrapServers;
    this.name = name;
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
      await(admin.createTopics(List.of(new NewTopic(name, 1, (short) 1))).all());
    }
    this.producer =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers", bootstrapServers,
                // A batch goes when it is flushed, not when it is full or has waited for long.
                "batch.size", 1_000_000,
                "linger.ms", 60_000),
            new StringSerializer(),
            new StringSerializer());
  }

  /**
   * Returns the topic, to be read without the half second that Spark's source by default waits at
   * the end of it.
   *
   * @return the topic with source options
   */
  public Topic topic() {
    return new Topic(bootstrapServers, name, 1, Map.of("kafka.fetch.max.wait.ms", "10"));
  }

  /**
   * Makes records without a key appear, all at once.
   *
   * @param values their values; a null makes a tombstone
   */
  public void land(List<String> values) {
    List<Future<RecordMetadata>> sent =
        values.stream().map(value -> producer.send(new ProducerRecord<>(name, value))).toList();
    producer.flush();
    sent.forEach(LandingTopic::await);
  }

  @Override
  public void land(String piece, String content) {
    land(content.lines().toList());
  }

  /** Leaves the topic as it is. */
  @Override
  public void close() {
    producer.close();
  }

  private static void await(Future<?> result) {
    try {
      result.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause().getMessage(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while waiting for the broker", e);
    }
  }
}
