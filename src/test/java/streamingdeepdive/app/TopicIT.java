package streamingdeepdive.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.KafkaStream;
import streamingdeepdive.testkit.StreamingExtension;

@ExtendWith(StreamingExtension.class)
@Columns("value STRING")
class TopicIT {
  private static final int PIECES = 20;
  private static final int RECORDS = 1000;

  @Test
  void recordsAppearAllAtOnce(KafkaStream any) throws Exception {
    Topic place = any.topic();
    try (Topic topic = Topic.create(place.bootstrapServers(), place.name() + "-land", 1)) {
      FutureTask<List<Integer>> reader = new FutureTask<>(() -> read(topic));
      Thread thread = new Thread(reader);
      thread.setDaemon(true);
      thread.start();
      for (int i = 0; i < PIECES; i++) {
        topic.land(null, null, Collections.nCopies(RECORDS, "value"));
      }

      assertThat(reader.get(60, TimeUnit.SECONDS))
          .allSatisfy(count -> assertThat(count % RECORDS).isZero());
    }
  }

  @Test
  void noBrokerIsASentenceBeforeSparkWaitsForMinutes() throws Exception {
    String nobody;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      nobody = "127.0.0.1:" + free.getLocalPort();
    }

    assertThatThrownBy(() -> Topic.find(nobody, "sales"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("No Kafka broker answers at " + nobody + "; check the address.");
  }

  @Test
  void aMissingTopicIsASentence(KafkaStream any) {
    String servers = any.topic().bootstrapServers();

    assertThatThrownBy(() -> Topic.find(servers, "no-such-topic"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("The topic no-such-topic does not exist on " + servers + "; create it first.");
  }

  @Test
  void aTopicThatExistsIsFoundWithItsPartitions(KafkaStream any) {
    Topic topic = any.topic();

    try (Topic found = Topic.find(topic.bootstrapServers(), topic.name())) {
      assertThat(found.name()).isEqualTo(topic.name());
      assertThat(found.partitions()).isEqualTo(1);
    }
  }

  /** Reads all records and returns how many it got at a time. */
  private static List<Integer> read(Topic topic) {
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers",
                topic.bootstrapServers(),
                "max.poll.records",
                PIECES * RECORDS),
            new StringDeserializer(),
            new StringDeserializer())) {
      TopicPartition partition = new TopicPartition(topic.name(), 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      List<Integer> counts = new ArrayList<>();
      while (consumer.position(partition) < PIECES * RECORDS) {
        counts.add(consumer.poll(Duration.ofSeconds(60)).count());
      }
      return counts;
    }
  }
}
