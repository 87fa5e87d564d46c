package streamingdeepdive.testkit;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.current_timestamp;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.raise_error;
import static org.apache.spark.sql.functions.when;
import static org.apache.spark.sql.functions.window;
import static org.apache.spark.sql.functions.window_time;
import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.apache.spark.sql.streaming.OutputMode.Complete;
import static org.apache.spark.sql.streaming.OutputMode.Update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static streamingdeepdive.testkit.Rows.at;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.Rows.values;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.addAllAtOnce;
import static streamingdeepdive.testkit.StreamScript.advance;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.crash;
import static streamingdeepdive.testkit.StreamScript.fromCheckpoint;
import static streamingdeepdive.testkit.StreamScript.random;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.stop;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.commons.io.FileUtils;
import org.apache.spark.api.java.function.FlatMapGroupsWithStateFunction;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.GroupStateTimeout;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The words beside adding, restarting and comparing rows, each with a query that needs it. */
@ExtendWith(StreamingExtension.class)
@Columns("time TIMESTAMP, name STRING")
class ScriptWordsIT {
  private static Dataset<Row> counts(StreamInput input) {
    return input.toDF().groupBy("name").count();
  }

  private static Row event(String time, String name) {
    return row(at(time), name);
  }

  private static Dataset<Row> joined(StreamInput left, StreamInput right) {
    return left.toDF()
        .withWatermark("time", "1 minute")
        .as("l")
        .join(
            right.toDF().withWatermark("time", "1 minute").as("r"),
            expr("l.name = r.name AND r.time BETWEEN l.time AND l.time + INTERVAL 5 MINUTES"))
        .select("l.name");
  }

  @ParameterizedTest
  @EnumSource
  void rowsOfSeveralStreamsAreInOneMicroBatch(InputKind kind, TestSession session) {
    StreamInput left = kind.open(session, "time TIMESTAMP, name STRING");
    StreamInput right = kind.open(session, "time TIMESTAMP, name STRING");
    testStream(
        joined(left, right),
        Append(),
        start(),
        add(left, event("12:00", "a"))
            .and(right, event("12:01", "a"))
            .rows(row("a"))
            .satisfies(
                (query, progress) ->
                    assertThat(progress.get(progress.size() - 2).numInputRows()).isEqualTo(2)),
        crash(left, event("12:10", "b")).and(right, event("12:10", "b")).rows(row("b")));
  }

  @Test
  void onlyAStepThatAddsRowsTakesMoreOfThem(InMemoryStream events) {
    assertThatThrownBy(() -> stop().and(events, event("12:00", "a")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Only a step that adds rows can add more of them");
  }

  @Test
  void aTriggerOfAFixedIntervalGoesByTheClock(TestClock clock, InMemoryStream events) {
    testStream(
        events.toDF().select("name"),
        Append(),
        start(Trigger.ProcessingTime("10 seconds")),
        add(events, event("12:00", "a")).rows(),
        advance(clock, "9 seconds").rows(),
        advance(clock, "1 second").rows(row("a")).microBatches(1),
        restart().rows(),
        add(events, event("12:00", "b")),
        advance(clock, "10 seconds").rows(row("b")));
  }

  @Test
  void theCurrentTimeIsThatOfTheClock(TestClock clock, InMemoryStream events) {
    testStream(
        events.toDF().select(current_timestamp().as("now")),
        Append(),
        add(events, event("12:00", "a")).rows(row(at("12:00"))),
        advance(clock, "90 seconds"),
        add(events, event("12:00", "a")).rows(row(at("12:01:30"))));
  }

  /** A group that was not seen for ten seconds says so, and is forgotten. */
  @Test
  void aProcessingTimeTimeoutGoesByTheClock(TestClock clock, InMemoryStream events) {
    FlatMapGroupsWithStateFunction<String, Row, Integer, String> function =
        (name, rows, state) -> {
          if (state.hasTimedOut()) {
            state.remove();
            return List.of(name + " is gone").iterator();
          }
          state.update(1);
          state.setTimeoutDuration("10 seconds");
          return List.of(name).iterator();
        };
    Dataset<String> query =
        events
            .toDF()
            .groupByKey((MapFunction<Row, String>) row -> row.getString(1), Encoders.STRING())
            .flatMapGroupsWithState(
                function,
                Append(),
                Encoders.INT(),
                Encoders.STRING(),
                GroupStateTimeout.ProcessingTimeTimeout());
    testStream(
        query,
        Append(),
        start(Trigger.ProcessingTime("1 second")),
        add(events, event("12:00", "a")),
        advance(clock, "1 second").rows(values("a")).state(1),
        advance(clock, "9 seconds").rows().state(1),
        advance(clock, "2 seconds").rows(values("a is gone")).state(0).removed(1));
  }

  @Test
  void aTriggerThatEndsIsAwaited(FileStream events) {
    testStream(
        counts(events),
        Update(),
        add(events, event("12:00", "a")).rows(row("a", 1L)),
        stop(),
        add(events, event("12:00", "a")),
        add(events, event("12:00", "b")),
        start(Trigger.AvailableNow()).rows(row("a", 2L), row("b", 1L)).microBatches(2),
        add(events, event("12:00", "b")).rows(),
        start().rows(row("b", 2L)),
        start(Trigger.ProcessingTime(0)),
        add(events, event("12:00", "b")).rows(row("b", 3L)));
  }

  @Test
  void aWriterWithATriggerThatEnds(FileStream events, SparkSession spark) {
    testStream(
        counts(events)
            .writeStream()
            .outputMode(Complete())
            .format("memory")
            .queryName("ends")
            .trigger(Trigger.AvailableNow()),
        () -> spark.table("ends"),
        add(events, event("12:00", "a")),
        start().rows(row("a", 1L)),
        add(events, event("12:00", "b")).rows(row("a", 1L)),
        start().rows(row("a", 1L), row("b", 1L)));
  }

  @Test
  void aChangedQueryGoesOnFromTheCheckpoint(InMemoryStream events) {
    DataStreamWriter<Row> changed =
        counts(events).where("name <> 'b'").writeStream().outputMode(Update()).format("noop");
    testStream(
        counts(events).writeStream().outputMode(Update()).format("noop"),
        add(events, event("12:00", "a"), event("12:00", "b")).state(2),
        stop(),
        start(changed),
        add(events, event("12:00", "c"))
            .state(3)
            .satisfies((query, progress) -> assertThat(progress.get(0).batchId()).isEqualTo(1L)));
  }

  @Test
  void aScriptCanStartFromACheckpointOfAnEarlierRun(FileStream events, TestSession session) {
    Path earlier = session.newDirectory();
    testStream(
        checkpoint -> {
          return counts(events).writeStream().outputMode(Update()).format("noop");
        },
        () -> session.spark().emptyDataFrame(),
        add(events, event("12:00", "a")),
        restart(),
        stop());
    testStream(
        checkpoint -> {
          copy(checkpoint, earlier);
          return counts(events).writeStream().outputMode(Update()).format("noop");
        },
        () -> session.spark().emptyDataFrame(),
        start(),
        restart());
    testStream(
        counts(events),
        Update(),
        fromCheckpoint(earlier),
        start().rows().microBatches(0),
        add(events, event("12:00", "a")).rows(row("a", 2L)));
  }

  private static void copy(String checkpoint, Path target) {
    try {
      FileUtils.copyDirectory(new java.io.File(java.net.URI.create(checkpoint)), target.toFile());
    } catch (java.io.IOException e) {
      throw new AssertionError(e);
    }
  }

  /** First the deduplication, then the aggregation. */
  @Test
  void eachOperatorHasItsOwnState(InMemoryStream events) {
    testStream(
        events
            .toDF()
            .withWatermark("time", "1 minute")
            .dropDuplicates("time", "name")
            .groupBy(window(col("time"), "5 minutes"))
            .count(),
        Append(),
        add(events, event("12:01", "a"), event("12:02", "a"), event("12:02", "a"))
            .state(1, 1)
            .state(2)
            .updated(2, 1)
            .removed(1, 0)
            .duplicates(1),
        add(events, event("12:10", "a")).removed(1, 1).state(1, 1),
        add(events, event("12:00", "a")).dropped(1, 0).dropped(1));
  }

  @Test
  void chainedAggregations(InMemoryStream events) {
    testStream(
        events
            .toDF()
            .withWatermark("time", "0 seconds")
            .groupBy(window(col("time"), "5 minutes"))
            .count()
            .select(window_time(col("window")).as("time"), col("count"))
            .groupBy(window(col("time"), "10 minutes"))
            .sum("count")
            .select("sum(count)"),
        Append(),
        add(events, event("12:01", "a"), event("12:06", "a")).state(1, 1),
        add(events, event("12:30", "a")).rows(row(2L)).state(1, 0));
  }

  @Test
  void rowsCanBeStatedInOtherWays(FileStream events) {
    testStream(
        events.toDF().select("name"),
        Append(),
        add(events, event("12:00", "b"), event("12:00", "a")).rowsInOrder(values("b", "a")),
        addAllAtOnce(events, event("12:00", "c"), event("12:00", "d"))
            .rows(List.of(row("d"), row("c")))
            .rowsInOrder(values("c", "d"))
            .lastRows(values("d"))
            .rowsSatisfy(rows -> assertThat(rows).hasSize(2))
            .allRows(values("a", "b", "c", "d")),
        crash(events, event("12:00", "e")).allRows(values("a", "b", "c", "d", "e")),
        restart().lastRows().allRows(values("a", "b", "c", "d", "e")));
  }

  @Test
  void theWatermarkIsATimeOfARow(InMemoryStream events) {
    testStream(
        events.toDF().withWatermark("time", "10 seconds").dropDuplicates("time"),
        Append(),
        add(events, event("12:00:30", "a")).watermark(at("12:00:20")).watermark("12:00:20"));
  }

  @Test
  void codeAddsDataByAnyOtherMeans(FileStream events) {
    testStream(
        events.toDF().select("name"),
        Append(),
        add(() -> events.addLines("{\"name\":\"a\"}")).rows(row("a")));
  }

  @Test
  void recordsHaveAPartitionOrAKey(SparkSession spark, TestSession session) {
    KafkaStream events = new KafkaStream(session, "name STRING", 2);
    Dataset<Row> records =
        spark
            .readStream()
            .format("kafka")
            .options(KafkaStream.SOURCE)
            .option("kafka.bootstrap.servers", events.topic().bootstrapServers())
            .option("subscribe", events.topic().name())
            .option("startingOffsets", "earliest")
            .load()
            .selectExpr("partition", "string(key)", "offset");
    testStream(
        records,
        Append(),
        start(),
        add(events.partition(1), row("a")).rows(row(1, null, 0L)),
        add(events.key("k"), row("a"), row("b"))
            .rowsSatisfy(
                rows -> assertThat(rows).extracting(row -> row.get(1)).containsExactly("k", "k")));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void aRandomScriptEndsInTheRowsOfTheBatch(long seed, FileStream events) {
    List<Row> rows = IntStream.range(10, 22).mapToObj(i -> event("12:" + i, "n" + i)).toList();
    testStream(
        events.toDF().withWatermark("time", "1 minute").dropDuplicates("time", "name"),
        Append(),
        random(seed, events, rows).allRows(rows));
  }

  private static Dataset<Row> diesOfBad(StreamInput events) {
    return events
        .toDF()
        .withWatermark("time", "1 minute")
        .dropDuplicates("time", "name")
        .select(when(col("name").equalTo("bad"), raise_error(lit("bad"))).otherwise(col("name")));
  }

  /** What ran before the failure is of that step, not of the next one. */
  @Test
  void aStepThatFailsTakesItsRowsWithIt(FileStream events) {
    testStream(
        diesOfBad(events),
        Append(),
        start(),
        addAllAtOnce(events, event("12:00", "good"), event("12:01", "bad"))
            .expectFailure(RuntimeException.class, "bad"),
        check(events::toDF).rows().updated(0).microBatches(0).allRows(values("good")));
  }

  @Test
  void afterACrashWithRowsThatKillTheQueryItCanBeStarted(FileStream events) {
    testStream(
        diesOfBad(events),
        Append(),
        crash(events, event("12:00", "bad")).expectFailure(RuntimeException.class, "bad"),
        start().expectFailure(RuntimeException.class, "bad"));
  }

  /** An idle query repeats the numbers of its last micro-batch. */
  @Test
  void theProgressOfAnIdleQueryCountsNothing(InMemoryStream events, SparkSession spark) {
    spark.conf().set("spark.sql.streaming.noDataProgressEventInterval", "1");
    testStream(
        events.toDF().withWatermark("time", "1 minute").dropDuplicates("time", "name"),
        Append(),
        add(events, event("12:00", "a"), event("12:00", "a")).duplicates(1),
        check(() -> awaitIdleProgress(spark)).duplicates(0).updated(0).microBatches(0),
        add(events, event("12:00", "b")).duplicates(0).updated(1));
  }

  private static void awaitIdleProgress(SparkSession spark) {
    var query = spark.streams().active()[0];
    assertTimeoutPreemptively(
        Duration.ofSeconds(60),
        () -> {
          while (query.lastProgress().durationMs().containsKey("addBatch")) {
            assertThat(query.awaitTermination(10)).isFalse();
          }
        });
  }

  @Test
  void aSecondScriptSeesTheRowsThatTheFirstHasCommitted(InMemoryStream events) {
    for (int script = 0; script < 2; script++) {
      testStream(counts(events), Update(), start());
    }
    testStream(
        events.toDF().select("name"),
        Append(),
        add(events, event("12:00", "a")).rows(row("a")),
        add(events, event("12:00", "b")).rows(row("b")));
    testStream(
        events.toDF().select("name"),
        Append(),
        add(events, event("12:00", "c")).allRows(values("a", "b", "c")));
  }

  /** More than Spark keeps in its checkpoint. */
  @Test
  void aStepOfManyMicroBatches(@Columns("n BIGINT") FileStream numbers, SparkSession spark) {
    spark.conf().set("spark.sql.streaming.minBatchesToRetain", 2);
    Row[] rows = LongStream.range(0, 12).mapToObj(Rows::row).toArray(Row[]::new);
    testStream(
        numbers.toDF().groupBy().count(),
        Complete(),
        addAllAtOnce(numbers, rows).rows(row(12L)).microBatches(12).updated(12));
  }

  @Test
  void aJavaArrayIsAnArray(@Columns("names ARRAY<STRING>, sizes ARRAY<INT>") FileStream events) {
    testStream(
        events.toDF(),
        Append(),
        add(events, row(new String[] {"a", "b"}, new int[] {1, 2}))
            .rows(row(List.of("a", "b"), new Integer[] {1, 2})));
  }

  /** A table need not be there before a step states its rows. */
  @Test
  void aTableIsReadForAStatementOnly(FileStream events, TestSession session) {
    Path output = session.newDirectory();
    testStream(
        events.toDF().select("name").writeStream().format("parquet").option("path", output + "/p"),
        () -> session.spark().read().parquet(output + "/p"),
        stop(),
        add(events, event("12:00", "a")),
        start(Trigger.AvailableNow()).rows(row("a")));
  }

  @ParameterizedTest
  @EnumSource
  void theStartBeforeAFirstAddIsNotCounted(InputKind kind, TestSession session) {
    StreamInput events = kind.open(session, "time TIMESTAMP, name STRING");
    testStream(counts(events), Update(), add(events, event("12:00", "a")).microBatches(1));
  }

  @Test
  void aTypedQueryWithASinkOfItsOwn(InMemoryStream events) {
    Dataset<String> names = events.toDF().select("name").as(Encoders.STRING());
    testStream(
        names.writeStream().format("noop"), add(events, event("12:00", "a")).microBatches(1));
  }

  @Test
  void aWholeNumberIsADecimal(@Columns("d DECIMAL(10,0)") InMemoryStream numbers) {
    testStream(
        numbers.toDF(),
        Append(),
        add(numbers, row(BigInteger.TEN)).rows(row(BigInteger.TEN)).rows(row(BigDecimal.TEN)));
  }
}
