package streamingdeepdive.app;

import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.testkit.Rows.row;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.app.PrintedQuery.Sink;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

@ExtendWith(StreamingExtension.class)
@Columns("region STRING")
class PrintedQueryTest {
  private static PrintedQuery query(String name, TestSession session) {
    return new PrintedQuery(name, session.spark(), session.newDirectory().toUri().toString());
  }

  @Test
  void eachQueryIsToldOfItsOwnMicroBatches(TestSession session, InMemoryStream events)
      throws Exception {
    List<UUID> first = new CopyOnWriteArrayList<>();
    List<UUID> second = new CopyOnWriteArrayList<>();
    try (PrintedQuery one = query("one", session);
        PrintedQuery two = query("two", session)) {
      one.start(events.toDF().writeStream(), Sink.COLLECTOR, progress -> first.add(progress.id()));
      two.start(events.toDF().writeStream(), Sink.COLLECTOR, progress -> second.add(progress.id()));
      events.addData(List.of(row("eu")));
      Assertions.assertTimeoutPreemptively(
          Duration.ofSeconds(60),
          () -> {
            one.processAllAvailable();
            two.processAllAvailable();
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
    try (PrintedQuery query = query("", session)) {
      query.start(
          events
              .toDF()
              .writeStream()
              .foreachBatch(
                  (batch, batchId) -> {
                    if (batchId == 1) {
                      throw new IllegalStateException("the sink is broken");
                    }
                    batch.collectAsList();
                  }),
          Sink.OWN_AND_DEADLY,
          progress -> {});
      Assertions.assertTimeoutPreemptively(
          Duration.ofSeconds(60),
          () -> {
            events.addData(List.of(row("eu")));
            assertThat(query.processAllAvailable().get().rows())
                .containsExactly(row(0L, 0L, "running"));
            events.addData(List.of(row("us")));
            assertThat(query.processAllAvailable().get().rows())
                .containsExactly(row(0L, 0L, "died"));
            query.stopAfterMicroBatch();
          });
    }
  }
}
