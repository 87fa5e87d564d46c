package streamingdeepdive.trap;

import static org.apache.spark.sql.streaming.OutputMode.Update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;
import static streamingdeepdive.testkit.StreamScript.addLines;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.Step;
import streamingdeepdive.testkit.StreamingExtension;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class UnboundedStateTest {
  private static Step file(FileStream sales, int number) {
    return addLines(sales, UnboundedState.sales(number).split("\n"));
  }

  /** Notes the state memory after the micro-batches so far. */
  private static Step note(List<Long> memory, SparkSession spark) {
    return check(
        () ->
            memory.add(
                spark.streams().active()[0].lastProgress().stateOperators()[0].memoryUsedBytes()));
  }

  @Test
  void withoutAWatermarkStateRowsAndMemoryGrow(SparkSession spark, FileStream sales) {
    List<Long> memory = new ArrayList<>();
    testStream(
        UnboundedState.buildQueryWithoutWatermark(sales.toDF()),
        Update(),
        file(sales, 1).state(20),
        note(memory, spark),
        file(sales, 2).state(40),
        file(sales, 3).state(60),
        file(sales, 4).state(80),
        note(memory, spark));
    assertThat(memory.get(1)).isGreaterThan(3 * memory.get(0));
  }

  @Test
  void withAWatermarkTheyStay(SparkSession spark, FileStream sales) {
    List<Long> memory = new ArrayList<>();
    testStream(
        UnboundedState.buildQuery(sales.toDF()),
        Update(),
        file(sales, 1).watermark("01:25").state(3),
        note(memory, spark),
        file(sales, 2).state(3),
        file(sales, 3).state(3),
        file(sales, 4).watermark("06:25").state(3),
        note(memory, spark));
    assertThat(memory.get(1)).isCloseTo(memory.get(0), withinPercentage(25));
  }
}
