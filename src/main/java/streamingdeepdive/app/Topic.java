package streamingdeepdive.app;

import java.util.Map;

/**
 * The topic that a main reads: the user's, or one in which the sample data lands.
 *
 * @param bootstrapServers the addresses of its brokers, as {@code kafka.bootstrap.servers}
 * @param name its name
 * @param partitions how many partitions it has
 * @param options further options of Spark's Kafka source
 */
public record Topic(
    String bootstrapServers, String name, int partitions, Map<String, String> options) {
  /** Leaves the values of the options out: passwords are among them. */
  @Override
  public String toString() {
    return name + " on " + bootstrapServers + " with " + options.keySet();
  }
}
