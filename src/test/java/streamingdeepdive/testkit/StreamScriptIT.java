package streamingdeepdive.testkit;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.raise_error;
import static org.apache.spark.sql.functions.when;
import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.apache.spark.sql.streaming.OutputMode.Complete;
import static org.apache.spark.sql.streaming.OutputMode.Update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static streamingdeepdive.testkit.Rows.at;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.addAllAtOnce;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.crash;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.stop;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What scripts can say of a query; how they fail is in {@link FailureReportIT}. */
@ExtendWith(StreamingExtension.class)
@Columns("time TIMESTAMP, name STRING")
class StreamScriptIT {
  private static Dataset<Row> counts(StreamInput input) {
    return input.toDF().groupBy("name").count();
  }

  private static Row event(String time, String name) {
    return row(at(time), name);
  }

  @Test
  void appendAndUpdateShowTheNewRowsCompleteTheTable(FileStream events) {
    testStream(
        events.toDF().select("name"),
        Append(),
        add(events, event("12:00", "a")).rows(row("a")),
        add(events, event("12:00", "b")).rows(row("b")));
    testStream(
        counts(events),
        Update(),
        start().rows(row("a", 1L), row("b", 1L)),
        add(events, event("12:00", "a")).rows(row("a", 2L)));
    testStream(
        counts(events),
        Complete(),
        start().rows(row("a", 2L), row("b", 1L)),
        add(events, event("12:00", "c")).rows(row("a", 2L), row("b", 1L), row("c", 1L)),
        restart().rows(row("a", 2L), row("b", 1L), row("c", 1L)));
  }

  @Test
  void restartGoesOnWithTheStateAndRepeatsNothing(FileStream events) {
    testStream(
        counts(events),
        Update(),
        add(events, event("12:00", "a")).rows(row("a", 1L)),
        restart().rows().microBatches(0).state(1),
        add(events, event("12:00", "a")).rows(row("a", 2L)));
  }

  @Test
  void whatIsAddedWhileTheQueryIsDownComesWithTheStart(FileStream events) {
    testStream(
        counts(events),
        Update(),
        add(events, event("12:00", "a")),
        stop(),
        add(events, event("12:00", "a")).rows(),
        add(events, event("12:00", "b")).rows(),
        start().rows(row("a", 2L), row("b", 1L)).microBatches(2));
  }

  @Test
  void aStepEndsWhenTheListenersHaveBeenToldOfIt(SparkSession spark, InMemoryStream events) {
    List<String> told = new CopyOnWriteArrayList<>();
    spark.streams().addListener(new Told(told));
    testStream(
        events.toDF().selectExpr("assert_true(name = 'a', 'another name')"),
        Append(),
        add(events, event("12:00", "a")),
        check(() -> assertThat(told).containsExactly("0")),
        restart(),
        check(() -> assertThat(told).containsExactly("0", "stopped")),
        add(events, event("12:00", "b")).expectFailure(RuntimeException.class, "another name"),
        check(() -> assertThat(told).containsExactly("0", "stopped", "failed")));
  }

  @SuppressWarnings("serial")
  private static final class Told extends StreamingQueryListener {
    private final List<String> told;

    Told(List<String> told) {
      this.told = told;
    }

    @Override
    public void onQueryStarted(QueryStartedEvent event) {}

    @Override
    public void onQueryProgress(QueryProgressEvent event) {
      told.add("" + event.progress().batchId());
    }

    @Override
    public void onQueryTerminated(QueryTerminatedEvent event) {
      told.add(event.exception().isDefined() ? "failed" : "stopped");
    }
  }

  @Test
  void crashReplaysTheLastMicroBatch(FileStream events) {
    testStream(
        counts(events),
        Update(),
        add(events, event("12:00", "a")).rows(row("a", 1L)),
        add(events, event("12:00", "a")).rows(row("a", 2L)),
        crash().rows(row("a", 2L)).microBatches(1),
        crash().rows(row("a", 2L)).microBatches(1),
        add(events, event("12:00", "a")).rows(row("a", 3L)));
  }

  @Test
  void aMicroBatchThatCrashesReachesTheSinkTwice(FileStream events) {
    List<Long> batchIds = new ArrayList<>();
    VoidFunction2<Dataset<Row>, Long> sink =
        (batch, batchId) -> {
          batch.collectAsList();
          batchIds.add(batchId);
        };
    testStream(
        counts(events).writeStream().outputMode(Update()).foreachBatch(sink),
        crash(events, event("12:00", "a")).state(1),
        add(events, event("12:00", "b")).state(2),
        crash(events, event("12:00", "c")).state(3));

    assertThat(batchIds).containsExactly(0L, 0L, 1L, 2L, 2L);
  }

  @Test
  void piecesAddedAllAtOnceAreMicroBatchesWithNoNoDataMicroBatchBetween(FileStream events) {
    Dataset<Row> counts = events.toDF().withWatermark("time", "1 minute").groupBy("time").count();
    testStream(
        counts,
        Update(),
        addAllAtOnce(events, event("12:00", "a"), event("12:10", "a"), event("12:20", "a"))
            .microBatches(4)
            .watermark("12:19"),
        add(events, event("12:30", "a")).microBatches(2).watermark("12:29"));
  }

  @Test
  void aStreamInMemoryPutsThemIntoOneMicroBatch(InMemoryStream events) {
    testStream(
        counts(events),
        Update(),
        addAllAtOnce(events, event("12:00", "a"), event("12:10", "a"))
            .microBatches(1)
            .rows(row("a", 2L)));
  }

  @Test
  void theWatermarkIsSeenAtOnceThoughNoNoDataMicroBatchFollows(FileStream events) {
    testStream(
        events.toDF().withWatermark("time", "1 minute").groupBy("name").count(),
        Complete(),
        add(events, event("12:10", "a")).microBatches(1).watermark("12:09"));
  }

  @Test
  void stateMetricsAddUpOverTheStep(FileStream events) {
    testStream(
        events.toDF().withWatermark("time", "1 minute").dropDuplicates("time", "name"),
        Append(),
        add(events, event("12:10", "a"), event("12:10", "a"), event("12:10", "b"))
            .state(2)
            .updated(2)
            .duplicates(1)
            .dropped(0),
        add(events, event("12:00", "late")).state(2).updated(0).duplicates(0).dropped(1));
  }

  @Test
  void aWriterBringsItsOwnSink(SparkSession spark, TestSession session, FileStream events) {
    Path output = session.newDirectory();
    testStream(
        events
            .toDF()
            .select("name")
            .writeStream()
            .format("parquet")
            .option("path", output.toString()),
        () -> spark.read().schema("name STRING").parquet(output.toString()),
        add(events, event("12:00", "a")).rows(row("a")),
        add(events, event("12:00", "b")).rows(row("a"), row("b")),
        check(() -> assertThat(output.resolve("_spark_metadata")).isDirectory()));
  }

  @Test
  void aFailureAtTheStartCanBeExpected(FileStream events) {
    testStream(
        counts(events),
        Append(),
        start().expectFailure(AnalysisException.class, "Append output mode not supported"));
  }

  @Test
  void aQueryThatFailedIsDownUntilItIsStarted(FileStream events) {
    testStream(
        events
            .toDF()
            .select(
                when(col("name").equalTo("bad"), raise_error(lit("it is bad"))).otherwise("ok")),
        Append(),
        add(events, event("12:00", "a")).microBatches(1),
        add(events, event("12:00", "bad")).expectFailure(RuntimeException.class, "it is bad"),
        add(events, event("12:00", "b")).microBatches(0),
        restart().expectFailure(RuntimeException.class, "it is bad"));
  }

  @Test
  void aStepCanBeGivenMoreOrLessTime(FileStream events) {
    CountDownLatch never = new CountDownLatch(1);
    VoidFunction2<Dataset<Row>, Long> hung = (batch, batchId) -> never.await();

    assertThatThrownBy(
            () ->
                testStream(
                    events.toDF().writeStream().foreachBatch(hung),
                    add(events, event("12:00", "a")).within(Duration.ofSeconds(2))))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("Still waiting after 2 s for the query to take in all data");
  }

  @Test
  void theSessionOfATestIsItsOwn(TestSession session) {
    session.spark().conf().set("spark.sql.shuffle.partitions", "9");

    try (TestSession other = TestSession.open()) {
      assertThat(other.spark().conf().get("spark.sql.shuffle.partitions")).isEqualTo("2");
      assertThat(other.spark().sparkContext()).isSameAs(session.spark().sparkContext());
    }
  }
}
