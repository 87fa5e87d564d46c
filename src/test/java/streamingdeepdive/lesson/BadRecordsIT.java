package streamingdeepdive.lesson;

import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.addLines;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.crash;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import streamingdeepdive.recovery.HookedFileSystem;
import streamingdeepdive.recovery.HookedFileSystem.Change;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

/** Crashes, another checkpoint, files without a sale. */
@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class BadRecordsIT {
  private static final String GOOD =
      "{\"event_time\":\"2026-01-01T12:01:00Z\",\"region\":\"eu\",\"amount\":1.0}";

  /** A row without a time becomes a line without that field. */
  private static final Row TIMELESS = row(null, "eu", 2.0);

  private static final String TIMELESS_LINE = "{\"region\":\"eu\",\"amount\":2.0}";

  private String output;

  @BeforeEach
  void newOutput(TestSession session) {
    output = session.newDirectory().toUri().toString();
  }

  @Test
  void aFileWithoutAnySaleDoesNoHarm(SparkSession spark, FileStream sales) {
    testStream(
        query(BadRecords.read(spark, sales.directory())),
        () -> BadRecords.readRejected(spark, output),
        addLines(sales, "\u0000", "\u2028\"\\")
            .rows(
                row("\u0000", "000000.json", "not JSON"),
                row("\u2028\"\\", "000000.json", "not JSON")));
    assertThat(BadRecords.readTotals(spark, output).collectAsList()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a b%20c.json", "a+b.json", "\u00e4\u20ac.json", "a#b?.json", "%.json"})
  void aRejectedLineHasTheNameOfItsFile(String name, SparkSession spark, FileStream sales)
      throws Exception {
    Files.writeString(Path.of(URI.create(sales.directory())).resolve(name), "half\n");

    testStream(
        BadRecords.rejected(BadRecords.read(spark, sales.directory())),
        Append(),
        start().rows(row("half", name, "not JSON")));
  }

  @Test
  void aQueryWithANewCheckpointDoublesNothing(SparkSession spark, FileStream sales) {
    Dataset<Row> lines = BadRecords.read(spark, sales.directory());
    testStream(
        query(lines),
        () -> BadRecords.readRejected(spark, output),
        addLines(sales, "half"),
        restart());
    assertThatThrownBy(
            () ->
                BadRecords.buildQuery(lines, output, output.replaceFirst("/?$", " new checkpoint")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("written from another checkpoint location than");

    assertThat(BadRecords.readRejected(spark, output).collectAsList())
        .containsExactly(row("half", "000000.json", "not JSON"));
  }

  /** The reader takes neither half of what is written nor another directory. */
  @Test
  void aHalfWrittenMicroBatchIsNotReadAndIsReplaced(
      SparkSession spark, FileStream sales, TestSession session) {
    output = HookedFileSystem.in(spark, session.newDirectory().resolve("out[1]"));
    testStream(
        query(BadRecords.read(spark, sales.directory())),
        () -> BadRecords.readRejected(spark, output),
        addLines(sales, GOOD, "half").rows(row("half", "000000.json", "not JSON")),
        check(
            () ->
                HookedFileSystem.refuse(Change.CREATE, "totals/batch=1/_SUCCESS", "disk is full")),
        addLines(sales, GOOD, "half").expectFailure(IOException.class, "disk is full"),
        check(
            () ->
                assertThat(BadRecords.readTotals(spark, output).collectAsList())
                    .containsExactly(total("12:00", "12:05", "eu", 1.0))),
        check(HookedFileSystem::removeHook),
        start()
            .rows(row("half", "000000.json", "not JSON"), row("half", "000001.json", "not JSON")),
        check(
            () ->
                assertThat(BadRecords.readTotals(spark, output).collectAsList())
                    .containsExactly(total("12:00", "12:05", "eu", 2.0))));
  }

  @AfterEach
  void removeHook() {
    HookedFileSystem.removeHook();
  }

  private Function<String, DataStreamWriter<Row>> query(Dataset<Row> lines) {
    return checkpoint -> BadRecords.buildQuery(lines, output, checkpoint);
  }

  @Test
  void oneQueryWritesTotalsAndRejectedLinesExactlyOnce(SparkSession spark, FileStream sales) {
    testStream(
        query(BadRecords.read(spark, sales.directory())),
        () -> BadRecords.readRejected(spark, output),
        add(sales, sale("12:01", "eu", 1.0), TIMELESS, sale("12:06", "us", 4.0))
            .rows(row(TIMELESS_LINE, "000000.json", "no event_time")),
        crash(sales, sale("12:02", "eu", 8.0), TIMELESS)
            .rows(
                row(TIMELESS_LINE, "000000.json", "no event_time"),
                row(TIMELESS_LINE, "000001.json", "no event_time")),
        restart(),
        add(sales, sale("12:03", "eu", 16.0))
            .rows(
                row(TIMELESS_LINE, "000000.json", "no event_time"),
                row(TIMELESS_LINE, "000001.json", "no event_time")),
        check(
            () ->
                assertThat(BadRecords.readTotals(spark, output).collectAsList())
                    .containsExactlyInAnyOrder(
                        total("12:00", "12:05", "eu", 25.0), total("12:05", "12:10", "us", 4.0))));
  }
}
