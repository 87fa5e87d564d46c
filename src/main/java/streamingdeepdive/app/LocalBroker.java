package streamingdeepdive.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.hadoop.fs.FileUtil;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.utils.Time;
import scala.Option;

/**
 * A Kafka broker in this JVM, on a free port of the loopback interface, whose files go with it. It
 * needs the library {@code org.apache.kafka:kafka_2.12:3.4.1}, which is optional for importers.
 */
public final class LocalBroker implements AutoCloseable {
  /** Another process may take a free port before the broker does. */
  private static final int ATTEMPTS = 3;

  final Path directory;
  private final String address;
  private final KafkaRaftServer server;

  private LocalBroker(Path directory, String address, String controller) {
    this.directory = directory;
    this.address = address;
    String properties =
        """
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@%2$s
        controller.listener.names=CONTROLLER
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
        listeners=PLAINTEXT://%1$s,CONTROLLER://%2$s
        auto.create.topics.enable=false
        controlled.shutdown.enable=false
        group.initial.rebalance.delay.ms=0
        log.cleaner.enable=false
        num.io.threads=2
        num.network.threads=1
        offsets.topic.num.partitions=1
        offsets.topic.replication.factor=1
        """
            .formatted(address, controller);
    Map<String, String> config = new HashMap<>(Map.of("log.dirs", directory.toString()));
    properties.lines().map(line -> line.split("=")).forEach(line -> config.put(line[0], line[1]));
    this.server = new KafkaRaftServer(new KafkaConfig(config, false), Time.SYSTEM, Option.empty());
  }

  /** {@return a broker without topics, to be closed by the caller} */
  public static LocalBroker start() {
    for (int attempt = 1; ; attempt++) {
      LocalBroker broker = create();
      try {
        broker.server.startup();
        return broker;
      } catch (KafkaException e) {
        broker.close();
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private static LocalBroker create() {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (ServerSocket port = new ServerSocket(0, 1, loopback);
        ServerSocket controllerPort = new ServerSocket(0, 1, loopback)) {
      Path directory = Files.createTempDirectory("local-broker-");
      // What Kafka's tool writes when it formats a directory.
      Files.writeString(
          directory.resolve("meta.properties"), "version=1\ncluster.id=local\nnode.id=1\n");
      return new LocalBroker(
          directory,
          "127.0.0.1:" + port.getLocalPort(),
          "127.0.0.1:" + controllerPort.getLocalPort());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** {@return where it listens, as the option {@code kafka.bootstrap.servers} takes it} */
  public String bootstrapServers() {
    return address;
  }

  /** Stops the broker and deletes its topics. */
  @Override
  public void close() {
    server.shutdown();
    server.awaitShutdown();
    FileUtil.fullyDelete(directory.toFile());
  }
}
