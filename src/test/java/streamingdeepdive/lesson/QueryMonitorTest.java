package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.apache.spark.sql.streaming.OutputMode.Update;
import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.QueryMonitor.BACKLOG;
import static streamingdeepdive.lesson.QueryMonitor.BEHIND_CLOCK;
import static streamingdeepdive.lesson.QueryMonitor.BEHIND_EVENTS;
import static streamingdeepdive.lesson.QueryMonitor.INPUT_RATE;
import static streamingdeepdive.lesson.QueryMonitor.LATE_ROWS;
import static streamingdeepdive.lesson.QueryMonitor.LOAD;
import static streamingdeepdive.lesson.QueryMonitor.PROCESSED_RATE;
import static streamingdeepdive.lesson.QueryMonitor.ROWS;
import static streamingdeepdive.lesson.QueryMonitor.SECONDS;
import static streamingdeepdive.lesson.QueryMonitor.STATE_BYTES;
import static streamingdeepdive.lesson.QueryMonitor.STATE_ROWS;
import static streamingdeepdive.lesson.QueryMonitor.observed;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.advance;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.stop;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.KafkaStream;
import streamingdeepdive.testkit.Step;
import streamingdeepdive.testkit.StreamInput;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestClock;
import streamingdeepdive.testkit.TestSession;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class QueryMonitorTest {
  private final List<String> told = new CopyOnWriteArrayList<>();

  private void monitor(SparkSession spark, QueryMonitor.Measure... measures) {
    spark.streams().addListener(monitor(measures));
  }

  private QueryMonitor monitor(QueryMonitor.Measure... measures) {
    return new QueryMonitor(List.of(measures), told::add, text -> told.add("! " + text));
  }

  /** States the lines and, with an exclamation mark, the warnings since the last such step. */
  private Step told(String... expected) {
    return check(
        () -> {
          assertThat(told).containsExactly(expected);
          told.clear();
        });
  }

  private static double lateRows(StreamingQueryProgress progress) {
    return LATE_ROWS.figure().applyAsDouble(progress);
  }

  private static DataStreamWriter<Row> named(Dataset<Row> query) {
    return query.writeStream().queryName("totals").outputMode(Update()).format("noop");
  }

  @Test
  void aWarningComesOnceUntilTheMeasureWasWithinItsLimit(StreamInput sales) {
    monitor(
        SparkSession.active(),
        ROWS,
        BEHIND_EVENTS.upTo(3600),
        LATE_ROWS.upTo(0),
        STATE_ROWS.upTo(1));
    testStream(
        named(Watermark.buildQuery(sales.toDF())),
        // There is no watermark yet; the no-data micro-batch has no event.
        add(sales, sale("12:14", "eu", 1.0)).watermark("12:04").state(1),
        told(
            "totals, micro-batch 0: rows 1, rows dropped as late 0, state rows 1",
            "totals, micro-batch 1: rows 0, rows dropped as late 0, state rows 1"),
        add(sales, sale("12:05", "eu", 1.0)).watermark("12:04").state(2),
        told(
            "totals, micro-batch 2: rows 1, seconds behind the newest event 60, rows dropped as late 0, state rows 2",
            "! totals, micro-batch 2: state rows 2, limit 1"),
        // The only event is older than the watermark. The state is still beyond its limit.
        add(sales, sale("12:03", "eu", 1.0)).watermark("12:04").state(3).dropped(0),
        told(
            "totals, micro-batch 3: rows 1, seconds behind the newest event 0, rows dropped as late 0, state rows 3"),
        add(sales, sale("14:00", "eu", 1.0)).watermark("13:50").state(1),
        told(
            "totals, micro-batch 4: rows 1, seconds behind the newest event 6960, rows dropped as late 0, state rows 4",
            "! totals, micro-batch 4: seconds behind the newest event 6960, limit 3600",
            "totals, micro-batch 5: rows 0, rows dropped as late 0, state rows 1"),
        // Between these two the no-data micro-batch had no newest event, but little state.
        add(sales, sale("15:00", "eu", 1.0)).watermark("14:50").state(1),
        told(
            "totals, micro-batch 6: rows 1, seconds behind the newest event 4200, rows dropped as late 0, state rows 2",
            "! totals, micro-batch 6: state rows 2, limit 1",
            "totals, micro-batch 7: rows 0, rows dropped as late 0, state rows 1"),
        // The last progress is that of the no-data micro-batch, which dropped nothing.
        add(sales, sale("15:05", "eu", 1.0), sale("12:00", "eu", 1.0))
            .state(2)
            .dropped(1)
            .satisfies((query, all) -> assertThat(lateRows(query.lastProgress())).isZero()),
        told(
            "totals, micro-batch 8: rows 2, seconds behind the newest event 900, rows dropped as late 1, state rows 2",
            "! totals, micro-batch 8: rows dropped as late 1, limit 0",
            "! totals, micro-batch 8: state rows 2, limit 1",
            "totals, micro-batch 9: rows 0, rows dropped as late 0, state rows 2"),
        restart(),
        told(),
        add(sales, sale("15:05", "eu", 1.0)).state(2),
        told(
            "totals, micro-batch 10: rows 1, seconds behind the newest event 600, rows dropped as late 0, state rows 2",
            "! totals, micro-batch 10: state rows 2, limit 1"));
  }

  /** A micro-batch takes as many seconds as its total is. */
  @Test
  void timesAndRatesAreThoseOfTheMicroBatchAndAnIdleQueryTellsNothing(
      TestClock clock, InMemoryStream sales) {
    VoidFunction2<Dataset<Row>, Long> sink =
        (batch, batchId) ->
            batch.collectAsList().forEach(row -> clock.advance(row.getDouble(2) + " seconds"));
    AtomicInteger idle = new AtomicInteger();
    SparkSession spark = SparkSession.active();
    spark.streams().addListener(new Idle(idle));
    monitor(
        spark,
        ROWS,
        INPUT_RATE,
        PROCESSED_RATE,
        LOAD.upTo(100),
        SECONDS.upTo(10),
        BEHIND_CLOCK.upTo(900));
    testStream(
        Watermark.buildQuery(sales.toDF())
            .writeStream()
            .queryName("totals")
            .outputMode(Update())
            .foreachBatch(sink),
        start(Trigger.ProcessingTime("10 seconds")),
        // There is no watermark yet.
        add(sales, sale("11:55", "eu", 5.0)),
        advance(clock, "10 seconds").watermark("11:45"),
        told(
            "totals, micro-batch 0: rows 1, rows read per second 0.1, rows processed per second 0.2, load 50, seconds 5"),
        advance(clock, "5 seconds").watermark("11:45"),
        told(
            "totals, micro-batch 1: rows 0, rows read per second 0, rows processed per second 0, seconds 0, seconds behind the clock 920",
            "! totals, micro-batch 1: seconds behind the clock 920, limit 900"),
        // The next micro-batch starts when this one, which takes too long, has ended.
        add(sales, sale("11:56", "us", 16.0)),
        advance(clock, "10 seconds").watermark("11:46").microBatches(2),
        told(
            "totals, micro-batch 2: rows 1, rows read per second 0.1, rows processed per second 0.062, load 160, seconds 16, seconds behind the clock 930",
            "! totals, micro-batch 2: load 160, limit 100",
            "! totals, micro-batch 2: seconds 16, limit 10",
            "totals, micro-batch 3: rows 0, rows read per second 0, rows processed per second 0, seconds 0, seconds behind the clock 886"),
        // Of a minute without a micro-batch Spark tells its listeners in another way.
        advance(clock, "30 seconds"),
        advance(clock, "30 seconds"),
        check(() -> assertThat(idle.get()).isPositive()),
        told());
  }

  @SuppressWarnings("serial")
  private static final class Idle extends StreamingQueryListener {
    private final AtomicInteger count;

    Idle(AtomicInteger count) {
      this.count = count;
    }

    @Override
    public void onQueryStarted(QueryStartedEvent event) {}

    @Override
    public void onQueryProgress(QueryProgressEvent event) {}

    @Override
    public void onQueryIdle(QueryIdleEvent event) {
      count.incrementAndGet();
    }

    @Override
    public void onQueryTerminated(QueryTerminatedEvent event) {}
  }

  @Test
  void theBacklogIsThatOfThePartitionThatHasMost(TestSession session) {
    SparkSession spark = session.spark();
    KafkaStream sales = new KafkaStream(session, FileSource.SCHEMA, 2);
    sales.partition(0).addData(List.of(sale("12:00", "eu", 1.0), sale("12:01", "eu", 1.0)));
    sales.partition(0).addData(List.of(sale("12:02", "eu", 1.0)));
    Map<String, String> oneByOne =
        Map.of("startingOffsets", "earliest", "maxOffsetsPerTrigger", "1");
    monitor(spark, ROWS, BACKLOG.upTo(1));
    testStream(
        named(
            KafkaSource.events(
                KafkaSource.records(
                    spark, sales.topic().bootstrapServers(), sales.topic().name(), oneByOne))),
        start().microBatches(3),
        told(
            "totals, micro-batch 0: rows 1, backlog 2",
            "! totals, micro-batch 0: backlog 2, limit 1",
            "totals, micro-batch 1: rows 1, backlog 1",
            "totals, micro-batch 2: rows 1, backlog 0"));
  }

  @Test
  void whatAQueryDoesNotHaveIsNotInItsLines(SparkSession spark, InMemoryStream sales) {
    monitor(
        spark,
        ROWS,
        BACKLOG.upTo(-1),
        BEHIND_CLOCK.upTo(-1),
        BEHIND_EVENTS.upTo(-1),
        observed("sales", "greatest").upTo(-1),
        observed("refunds", "greatest").upTo(-1));
    testStream(
        named(sales.toDF().observe("sales", expr("max(cast(null as double)) as greatest"))),
        add(sales, sale("12:00", "eu", 1.0)),
        told("totals, micro-batch 0: rows 1"));
  }

  @Test
  void stateHasASizeInMemory(SparkSession spark, InMemoryStream sales) {
    monitor(spark, STATE_BYTES.upTo(0));
    testStream(
        named(Watermark.buildQueryWithoutWatermark(sales.toDF())),
        add(sales, sale("12:00", "eu", 1.0)).state(1),
        check(
            () ->
                assertThat(String.join("\n", told))
                    .matches(
                        "totals, micro-batch 0: (state bytes [1-9]\\d*)\n! totals, micro-batch 0: \\1, limit 0")));
  }

  @Test
  void aQueryThatDiesIsNoticedAndOneThatIsStoppedIsNoWarning(
      SparkSession spark, InMemoryStream sales) {
    monitor(spark, ROWS);
    testStream(
        named(sales.toDF().selectExpr("assert_true(amount >= 0, 'a negative amount')")),
        add(sales, sale("12:00", "eu", 1.0)),
        stop(),
        told("totals, micro-batch 0: rows 1"),
        start(),
        add(sales, sale("12:00", "eu", -1.0))
            .expectFailure(RuntimeException.class, "a negative amount"),
        check(
            () ->
                assertThat(told)
                    .singleElement()
                    .asString()
                    .startsWith("! totals has died: ")
                    .contains("a negative amount")));
  }

  @Test
  void aListenerThatThrowsStopsNeitherTheQueryNorTheOtherListeners(
      SparkSession spark, InMemoryStream sales) {
    spark
        .streams()
        .addListener(
            new QueryMonitor(
                List.of(ROWS),
                line -> {
                  told.add("a listener that throws");
                  throw new IllegalStateException(line);
                },
                told::add));
    monitor(spark, ROWS);
    testStream(
        named(sales.toDF()),
        add(sales, sale("12:00", "eu", 1.0)),
        told("a listener that throws", "totals, micro-batch 0: rows 1"),
        add(sales, sale("12:00", "eu", 1.0)),
        told("a listener that throws", "totals, micro-batch 1: rows 1"));
  }

  @Test
  void onlyQueriesOfTheSessionAreHeardAlsoThoseThatWereThereBefore(
      SparkSession spark, InMemoryStream sales) {
    spark.newSession().streams().addListener(monitor(ROWS));
    testStream(
        sales.toDF(),
        Append(),
        add(sales, sale("12:00", "eu", 1.0)),
        told(),
        check(() -> monitor(spark, ROWS)),
        add(sales, sale("12:00", "eu", 1.0))
            .satisfies(
                (query, progress) ->
                    assertThat(told).containsExactly(query.id() + ", micro-batch 1: rows 1")));
  }
}
