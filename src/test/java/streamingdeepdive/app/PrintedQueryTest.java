package streamingdeepdive.app;

import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.testkit.Rows.row;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

@ExtendWith(StreamingExtension.class)
@Columns("region STRING")
class PrintedQueryTest {
  private static final Trigger NOW = Trigger.ProcessingTime(0);

  private static PrintedQuery collected(String name, TestSession session, InMemoryStream events) {
    String checkpoint = session.newDirectory().toString();
    return PrintedQuery.collected(
        name, session.spark(), checkpoint, events.toDF().writeStream(), null);
  }

  @Test
  void eachQueryIsToldOfItsOwnMicroBatches(TestSession session, InMemoryStream events)
      throws Exception {
    List<UUID> first = new CopyOnWriteArrayList<>();
    List<UUID> second = new CopyOnWriteArrayList<>();
    try (PrintedQuery one = collected("one", session, events);
        PrintedQuery two = collected("two", session, events)) {
      one.start(NOW, progress -> first.add(progress.id()));
      two.start(NOW, progress -> second.add(progress.id()));
      events.addData(List.of(row("eu")));
      Assertions.assertTimeoutPreemptively(
          Duration.ofSeconds(60),
          () -> {
            one.processAllAvailable(0);
            two.processAllAvailable(0);
            // Each returns when its listener has heard of the last micro-batch.
            one.stopAfterMicroBatch();
            two.stopAfterMicroBatch();
          });
    }
    assertThat(first).isNotEmpty().containsOnly(first.get(0));
    assertThat(second).isNotEmpty().containsOnly(second.get(0)).doesNotContain(first.get(0));
  }

  @Test
  void aQueryThatHasDiedOfItsSinkCanBeStopped(TestSession session, InMemoryStream events)
      throws Exception {
    DataStreamWriter<Row> broken =
        events
            .toDF()
            .writeStream()
            .foreachBatch(
                (batch, batchId) -> {
                  if (batchId == 1) {
                    throw new IllegalStateException("the sink is broken");
                  }
                  batch.collectAsList();
                });
    String checkpoint = session.newDirectory().toString();
    try (PrintedQuery query = PrintedQuery.withFate("", session.spark(), checkpoint, broken)) {
      query.start(NOW, progress -> {});
      Assertions.assertTimeoutPreemptively(
          Duration.ofSeconds(60),
          () -> {
            events.addData(List.of(row("eu")));
            assertThat(query.processAllAvailable(0).get().rows())
                .containsExactly(row(0L, 0L, "running"));
            events.addData(List.of(row("us")));
            assertThat(query.processAllAvailable(0).get().rows())
                .containsExactly(row(0L, 0L, "died"));
            query.stopAfterMicroBatch();
          });
    }
  }
}
