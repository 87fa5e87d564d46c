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
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.StringSerializer;

/** A Kafka topic: the user's or, in a replay, one of a broker in this process. */
public final class Topic implements Replay.Feed, AutoCloseable {
  private final String bootstrapServers;
  private final String name;
  private final int partitions;
  private final Runnable end;
  private Producer<String, String> producer;

  private Topic(String bootstrapServers, String name, int partitions, Runnable end) {
    this.bootstrapServers = bootstrapServers;
    this.name = name;
    this.partitions = partitions;
    this.end = end;
  }

  /**
   * {@return as {@link #output}; in a replay the lines of the sample files are sent to it}
   *
   * @param lesson the run of a main with these options
   * @param folder a folder of the sample data
   */
  public static Topic input(LessonRun lesson, String folder) {
    return lesson.feedFrom(folder, output(lesson, folder));
  }

  /**
   * {@return the topic of {@code --bootstrap-servers} and {@code --topic}, or a new one}
   *
   * @param lesson the run of a main with these options
   * @param name its name in a replay
   * @throws IllegalStateException if the topic or its brokers cannot be used
   */
  public static Topic output(LessonRun lesson, String name) {
    if (!lesson.isReplay()) {
      return find(lesson.option("bootstrap-servers", ""), lesson.option("topic", ""));
    }
    LocalBroker broker = LocalBroker.start();
    return create(broker.bootstrapServers(), name, 1, broker::close);
  }

  /**
   * {@return a new topic, to be closed by the caller}
   *
   * @param bootstrapServers a broker that has room for it
   * @param name a name that no topic has yet
   * @param partitions how many partitions it has
   */
  public static Topic create(String bootstrapServers, String name, int partitions) {
    return create(bootstrapServers, name, partitions, () -> {});
  }

  private static Topic create(String bootstrapServers, String name, int partitions, Runnable end) {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
      await(admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1))).all());
    }
    return new Topic(bootstrapServers, name, partitions, end);
  }

  /** Spark would wait for minutes for brokers that do not answer. */
  static Topic find(String bootstrapServers, String name) {
    Map<String, Object> config =
        Map.of(
            "bootstrap.servers", bootstrapServers,
            "request.timeout.ms", 5_000,
            "default.api.timeout.ms", 5_000);
    try (Admin admin = Admin.create(config)) {
      var found = await(admin.describeTopics(List.of(name)).allTopicNames()).get(name);
      return new Topic(bootstrapServers, name, found.partitions().size(), () -> {});
    } catch (UnknownTopicOrPartitionException e) {
      throw new IllegalStateException(
          "The topic " + name + " does not exist on " + bootstrapServers + "; create it first.");
    } catch (TimeoutException e) {
      throw new IllegalStateException(
          "No Kafka broker answers at " + bootstrapServers + "; check the address.");
    }
  }

  /**
   * Makes records appear, all at once: they go to the broker as one batch, of which no reader sees
   * a part.
   *
   * @param partition their partition; null leaves it to Kafka
   * @param key their key, or null
   * @param values their values; a null makes a tombstone
   */
  public void land(Integer partition, String key, List<String> values) {
    if (producer == null) {
      producer =
          new KafkaProducer<>(
              Map.of(
                  "bootstrap.servers", bootstrapServers,
                  // A batch goes when it is flushed, not when it is full or has waited for long.
                  "batch.size", 1_000_000,
                  "linger.ms", 60_000),
              new StringSerializer(),
              new StringSerializer());
    }
    var sent =
        values.stream()
            .map(value -> producer.send(new ProducerRecord<>(name, partition, key, value)))
            .toList();
    producer.flush();
    sent.forEach(Topic::await);
  }

  @Override
  public void land(String piece, String content) {
    land(null, null, content.lines().toList());
  }

  private static <T> T await(Future<T> result) {
    try {
      return result.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException failure
          ? failure
          : new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while waiting for the broker", e);
    }
  }

  /** {@return the addresses of its brokers, as {@code kafka.bootstrap.servers}} */
  public String bootstrapServers() {
    return bootstrapServers;
  }

  /** {@return its name, as the options {@code subscribe} and {@code topic} take it} */
  public String name() {
    return name;
  }

  /** {@return how many partitions it has} */
  public int partitions() {
    return partitions;
  }

  /** Leaves a topic of the user's as it is; ends the broker of a replay. */
  @Override
  public void close() {
    if (producer != null) {
      producer.close();
    }
    end.run();
  }
}
