package streamingdeepdive.lesson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.advance;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import streamingdeepdive.app.RowCollector;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestClock;
import streamingdeepdive.testkit.TestSession;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class TriggersTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Row NOON = total("12:00", "12:05", "eu", 1.0);

  private FileStream sales;
  private Dataset<Row> totals;
  private Path checkpoint;

  /** Three files, of which the second closes the window of the first. */
  @BeforeEach
  void addFiles(TestSession session, FileStream files) {
    sales = files;
    totals = WindowedAggregation.buildQuery(sales.toDF());
    checkpoint = session.newDirectory();
    sales.addData(List.of(sale("12:01", "eu", 1.0)));
    sales.addData(List.of(sale("12:15", "eu", 2.0)));
    sales.addData(List.of(sale("12:16", "eu", 4.0)));
  }

  /** Runs a query that ends by itself; returns the rows of each micro-batch. */
  private List<List<Row>> runToItsEnd(DataStreamWriter<Row> writer) throws Exception {
    RowCollector rows = new RowCollector();
    StreamingQuery query = start(writer, rows);
    assertThat(query.awaitTermination(LIMIT.toMillis())).isTrue();
    return List.copyOf(rows.take(Long.MAX_VALUE - 1).values());
  }

  /** Runs a query until it is idle, and shows that it has not ended. */
  private List<List<Row>> runUntilIdle(DataStreamWriter<Row> writer) throws Exception {
    RowCollector rows = new RowCollector();
    StreamingQuery query = start(writer, rows);
    assertTimeoutPreemptively(LIMIT, query::processAllAvailable);
    assertThat(query.isActive()).isTrue();
    query.stop();
    return List.copyOf(rows.take(Long.MAX_VALUE - 1).values());
  }

  private StreamingQuery start(DataStreamWriter<Row> writer, RowCollector rows) throws Exception {
    return writer
        .foreachBatch(rows::collect)
        .option("checkpointLocation", checkpoint.toString())
        .start();
  }

  @Test
  void asSoonAsPossibleRunsAMicroBatchPerFileAndANoDataOneUntilItIsStopped() throws Exception {
    assertThat(runUntilIdle(Triggers.asSoonAsPossible(totals)))
        .containsExactly(List.of(), List.of(), List.of(NOON), List.of());
  }

  @Test
  void asSoonAsPossibleIsTheDefault() throws Exception {
    assertThat(runUntilIdle(OutputModes.append(totals)))
        .containsExactly(List.of(), List.of(), List.of(NOON), List.of());
  }

  @Test
  void withAnIntervalItDeliversTheSame() throws Exception {
    assertThat(runUntilIdle(Triggers.every(totals, "10 milliseconds")))
        .containsExactly(List.of(), List.of(), List.of(NOON), List.of());
  }

  @Test
  void withAnIntervalTheFirstMicroBatchStartsAtOnceAndAwaitingLeavesTheQueryRunning()
      throws Exception {
    RowCollector rows = new RowCollector();
    StreamingQuery query = start(Triggers.every(totals, "1 hour"), rows);

    assertTimeoutPreemptively(
        LIMIT,
        () -> {
          while (rows.take(Long.MAX_VALUE - 1).isEmpty()) {
            assertThat(query.awaitTermination(10)).isFalse();
          }
        });
    assertThat(query.isActive()).isTrue();
    query.stop();
  }

  @ParameterizedTest
  @CsvSource({"30 seconds, 29 seconds", "1 minute, 59 seconds"})
  void aRowWaitsForTheNextMultipleOfTheInterval(
      String interval, String almost, TestClock clock, InMemoryStream events) {
    testStream(
        Triggers.every(events.toDF(), interval).format("noop"),
        add(events, sale("12:01", "eu", 1.0)).microBatches(0),
        advance(clock, almost).microBatches(0),
        advance(clock, "1 second").microBatches(1),
        add(events, sale("12:02", "eu", 2.0)).microBatches(0),
        advance(clock, interval).microBatches(1));
  }

  @Test
  void availableNowEndsAfterTheNoDataMicroBatchWithTheLastClosedWindows() throws Exception {
    sales.addData(List.of(sale("12:30", "us", 8.0)));

    assertThat(runToItsEnd(Triggers.availableNow(totals)))
        .containsExactly(
            List.of(),
            List.of(),
            List.of(NOON),
            List.of(),
            List.of(total("12:15", "12:20", "eu", 6.0)));
  }

  @Test
  void availableNowGoesOnWhereItEnded() throws Exception {
    assertThat(runToItsEnd(Triggers.availableNow(totals))).contains(List.of(NOON));
    assertThat(runToItsEnd(Triggers.availableNow(totals))).isEmpty();
    sales.addData(List.of(sale("12:30", "us", 8.0)));
    assertThat(runToItsEnd(Triggers.availableNow(totals)))
        .containsExactly(List.of(), List.of(total("12:15", "12:20", "eu", 6.0)));
  }

  @Test
  void onceTakesAllFilesIntoOneMicroBatchAndLeavesTheClosedWindowsOut() throws Exception {
    assertThat(runToItsEnd(Triggers.once(totals))).containsExactly(List.of());
  }

  @Test
  void afterOnceTheClosedWindowsWaitForTheNextRun() throws Exception {
    runToItsEnd(Triggers.once(totals));
    sales.addData(List.of(sale("12:17", "us", 8.0)));

    assertThat(runToItsEnd(Triggers.once(totals))).containsExactly(List.of(NOON));
  }

  /** In a micro-batch of its own the row would be dropped. */
  @Test
  void inTheFirstRunOfOnceNoRowIsLate() throws Exception {
    sales.addData(List.of(sale("12:02", "eu", 16.0)));

    assertThat(runToItsEnd(Triggers.once(totals))).containsExactly(List.of());
    sales.addData(List.of(sale("12:17", "us", 8.0)));
    assertThat(runToItsEnd(Triggers.once(totals)))
        .containsExactly(List.of(total("12:00", "12:05", "eu", 17.0)));
  }

  /** Rows are judged by the watermark that the run before started with. */
  @Test
  void fromTheThirdRunOnOnceDropsLateRows() throws Exception {
    assertThat(runToItsEnd(Triggers.once(totals))).containsExactly(List.of());
    sales.addData(List.of(sale("12:02", "eu", 16.0)));
    assertThat(runToItsEnd(Triggers.once(totals)))
        .containsExactly(List.of(total("12:00", "12:05", "eu", 17.0)));
    sales.addData(List.of(sale("12:03", "eu", 32.0)));
    assertThat(runToItsEnd(Triggers.once(totals))).containsExactly(List.of());
  }

  @Test
  void availableNowDropsTheSameRowAsLate() throws Exception {
    sales.addData(List.of(sale("12:02", "eu", 16.0)));

    assertThat(runToItsEnd(Triggers.availableNow(totals))).contains(List.of(NOON));
  }

  @Test
  void continuousIsRefused() {
    assertThatThrownBy(() -> Triggers.continuous(totals, "1 second").format("noop").start())
        .isInstanceOf(AnalysisException.class)
        .hasMessageStartingWith(
            "Continuous processing does not support StreamingRelation operations.");
  }
}
