package streamingdeepdive.app;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import picocli.CommandLine.Option;

/** A topic on the user's own brokers. */
final class TopicOptions implements InputOptions {
  private static final String PREFIX = "kafka.";
  private static final int LIMIT_MILLIS = 5_000;

  @Option(
      names = "--bootstrap-servers",
      paramLabel = "HOST:PORT",
      description =
          "Brokers of your own, used until stopped."
              + " Without them the sample data is replayed with a broker in this process.")
  private String bootstrapServers;

  @Option(names = "--topic", paramLabel = "NAME", description = "The topic on them.")
  private String topic;

  @Option(
      names = "--kafka-options",
      paramLabel = "FILE",
      description = "A properties file of further options, such as kafka.security.protocol.")
  private Path file;

  private int partitions;

  @Override
  public String names() {
    return "--bootstrap-servers, --topic";
  }

  @Override
  public String place() {
    return topic;
  }

  Topic topic() {
    return new Topic(bootstrapServers, topic, partitions, options());
  }

  /** Spark would wait for minutes for brokers that do not answer. */
  @Override
  public void requireUsable() {
    if ((bootstrapServers == null) != (topic == null) || file != null && topic == null) {
      throw new UsageException("--bootstrap-servers and --topic go together; give both or none.");
    }
    if (topic == null) {
      return;
    }
    Map<String, Object> config = clientConfig();
    try (Admin admin = Admin.create(config)) {
      // What Spark will do once the query runs.
      new ConsumerConfig(config);
      partitions =
          admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic).partitions().size();
    } catch (ExecutionException e) {
      throw problem(e.getCause());
    } catch (KafkaException e) {
      throw problem(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private Map<String, Object> clientConfig() {
    Map<String, Object> config = new HashMap<>();
    options()
        .forEach(
            (name, value) -> {
              if (name.startsWith(PREFIX)) {
                config.put(name.substring(PREFIX.length()), value);
              }
            });
    config.put("bootstrap.servers", bootstrapServers);
    config.put("key.deserializer", ByteArrayDeserializer.class);
    config.put("value.deserializer", ByteArrayDeserializer.class);
    config.put("request.timeout.ms", LIMIT_MILLIS);
    config.put("default.api.timeout.ms", LIMIT_MILLIS);
    return config;
  }

  /** Without the cause: its text may hold the value of an option. */
  private RuntimeException problem(Throwable cause) {
    if (cause instanceof UnknownTopicOrPartitionException) {
      return new UsageException(
          "--topic " + topic + " does not exist on " + bootstrapServers + "; create it first.");
    }
    if (cause instanceof TimeoutException) {
      return new IllegalStateException(
          "No Kafka broker answers at " + bootstrapServers + "; check --bootstrap-servers.");
    }
    return new IllegalStateException(
        "The brokers at %s cannot be used (%s); check --bootstrap-servers and --kafka-options."
            .formatted(bootstrapServers, cause.getClass().getSimpleName()));
  }

  private Map<String, String> options() {
    Properties properties = new Properties();
    if (file != null) {
      try (Reader reader = Files.newBufferedReader(file)) {
        properties.load(reader);
      } catch (IOException e) {
        throw new UsageException("--kafka-options " + file + " cannot be read.");
      }
    }
    Map<String, String> options = new HashMap<>();
    properties.stringPropertyNames().forEach(key -> options.put(key, properties.getProperty(key)));
    return options;
  }
}
