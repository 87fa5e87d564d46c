package streamingdeepdive.trap;

import static org.apache.spark.sql.streaming.OutputMode.Update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.addLines;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.Step;
import streamingdeepdive.testkit.StreamingExtension;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class UnboundedStateTest {
  private static final int FILES = 10;

  /** All 200 windows, file by file; notes the state memory after each. */
  private static Step[] script(
      FileStream sales, IntUnaryOperator stateRows, List<Long> memory, SparkSession spark) {
    return IntStream.rangeClosed(1, FILES)
        .boxed()
        .flatMap(
            file ->
                Stream.of(
                    addLines(sales, sales(file)).state(stateRows.applyAsInt(file)),
                    check(() -> memory.add(stateMemory(spark)))))
        .toArray(Step[]::new);
  }

  /** One sale every five minutes. */
  private static String[] sales(int file) {
    Instant midnight = Instant.parse("2026-01-01T00:00:00Z");
    return IntStream.range((file - 1) * 20, file * 20)
        .mapToObj(window -> midnight.plus(Duration.ofMinutes(5L * window)))
        .map("{\"event_time\":\"%s\",\"region\":\"eu\",\"amount\":1.0}"::formatted)
        .toArray(String[]::new);
  }

  private static long stateMemory(SparkSession spark) {
    return Arrays.stream(spark.streams().active()[0].recentProgress())
        .flatMap(progress -> Arrays.stream(progress.stateOperators()))
        .reduce((earlier, last) -> last)
        .orElseThrow()
        .memoryUsedBytes();
  }

  @Test
  void withoutAWatermarkStateRowsAndMemoryGrow(SparkSession spark, FileStream sales) {
    List<Long> memory = new ArrayList<>();
    testStream(
        UnboundedState.buildQueryWithoutWatermark(sales.toDF()),
        Update(),
        script(sales, file -> 20 * file, memory, spark));

    assertThat(memory).isSorted();
    assertThat(memory.get(FILES - 1)).isGreaterThan(8 * memory.get(0));
  }

  @Test
  void aWatermarkWithoutAWindowRemovesNothing(InMemoryStream sales) {
    testStream(
        FileSource.buildQuery(sales.toDF().withWatermark("event_time", "10 minutes")),
        Update(),
        add(sales, sale("12:01", "eu", 1.0)).watermark("11:51").state(1),
        add(sales, sale("18:00", "us", 2.0)).watermark("17:50").state(2),
        add(sales, sale("23:01", "br", 4.0)).watermark("22:51").state(3));
  }

  @Test
  void withAWatermarkTheyStay(SparkSession spark, FileStream sales) {
    List<Long> memory = new ArrayList<>();
    testStream(
        UnboundedState.buildQuery(sales.toDF()), Update(), script(sales, file -> 3, memory, spark));

    assertThat(memory)
        .allSatisfy(bytes -> assertThat(bytes).isCloseTo(memory.get(0), withinPercentage(25)));
  }
}
