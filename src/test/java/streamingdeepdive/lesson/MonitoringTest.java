package streamingdeepdive.lesson;

import static org.apache.spark.sql.streaming.OutputMode.Update;
import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.StreamScript.addLines;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.StreamingExtension;

@ExtendWith(StreamingExtension.class)
@Columns("line STRING")
class MonitoringTest {
  private static final String GOOD =
      "{\"event_time\":\"2026-01-01T12:01:00Z\",\"region\":\"eu\",\"amount\":1.0}";

  /** The no-data micro-batch reads no lines, so it counts none. */
  @Test
  void theQueryCountsTheLinesThatItRejects(SparkSession spark, FileStream lines) {
    List<String> told = new CopyOnWriteArrayList<>();
    spark
        .streams()
        .addListener(
            new QueryMonitor(
                List.of(QueryMonitor.ROWS, QueryMonitor.observed("lines", "rejected")),
                line -> told.add(line.replaceFirst(".*, micro", "micro")),
                told::add));
    testStream(
        Monitoring.buildQuery(BadRecords.read(spark, lines.directory())),
        Update(),
        addLines(lines, GOOD, "half", "")
            .rows(total("12:00", "12:05", "eu", 1.0))
            .watermark("11:51")
            .state(1),
        addLines(lines, GOOD).rows(total("12:00", "12:05", "eu", 2.0)).dropped(0).state(1),
        check(
            () ->
                assertThat(told)
                    .containsExactly(
                        "micro-batch 0: rows 3, rejected 2",
                        "micro-batch 1: rows 0",
                        "micro-batch 2: rows 1, rejected 0")));
  }
}
