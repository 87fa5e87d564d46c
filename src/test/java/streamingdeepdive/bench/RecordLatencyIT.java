package streamingdeepdive.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import streamingdeepdive.app.ChildJvm;
import streamingdeepdive.bench.RecordLatency.Processing;

/** What the latency of a record depends on, as ratios of medians from one machine at one time. */
class RecordLatencyIT {
  @TempDir private Path place;

  /** The wait of Kafka's consumer for more records hides the gain, unless it is set lower. */
  @Test
  void continuousProcessingIsFasterIfTheConsumerDoesNotWait() throws Exception {
    double byDefault = median(Processing.CONTINUOUS, 500);
    double continuous = median(Processing.CONTINUOUS, 10);
    double microBatch = median(Processing.MICRO_BATCH, 10);

    assertThat(byDefault / continuous).isGreaterThan(5);
    assertThat(microBatch / continuous).isGreaterThan(2);
  }

  private double median(Processing processing, int fetchWait) throws Exception {
    List<String> flags = new ArrayList<>(ChildJvm.QUICK);
    flags.add(ChildJvm.LOGGING_OF_A_MAIN);
    String[] arguments = {processing.name(), String.valueOf(fetchWait), "10", "30"};
    try (ChildJvm child = ChildJvm.start(flags, place, RecordLatency.class, arguments)) {
      return Double.parseDouble(child.awaitOut().split(" ")[0]);
    }
  }
}
