package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.Rows.window;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.crash;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.recovery.HookedFileSystem;
import streamingdeepdive.recovery.HookedFileSystem.Change;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.Step;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class ParquetSinkTest {
  private SparkSession spark;
  private Path output;

  @BeforeEach
  void nameOutput(TestSession session) {
    spark = session.spark();
    output = session.newDirectory().resolve("an output");
  }

  @AfterEach
  void mend() {
    HookedFileSystem.removeHook();
  }

  private Function<String, DataStreamWriter<Row>> finals(FileStream sales) {
    return finals(sales, output.toString());
  }

  private Function<String, DataStreamWriter<Row>> revisions(FileStream sales) {
    return revisions(sales, output.toString());
  }

  private static Function<String, DataStreamWriter<Row>> finals(FileStream sales, String output) {
    return checkpoint ->
        ParquetSink.buildQuery(WindowedAggregation.buildQuery(sales.toDF()), output, checkpoint);
  }

  private static Function<String, DataStreamWriter<Row>> revisions(
      FileStream sales, String output) {
    return checkpoint ->
        ParquetSink.buildUpdateQuery(
            WindowedAggregation.buildQuery(sales.toDF()), output, checkpoint);
  }

  private Dataset<Row> read() {
    return ParquetSink.read(spark, output.toString());
  }

  private Dataset<Row> latest() {
    return ParquetSink.latest(spark, output.toString());
  }

  private Dataset<Row> history() {
    return ParquetSink.history(spark, output.toString());
  }

  @Test
  void aTotalIsWrittenOnceWhenItIsFinal(FileStream sales) {
    testStream(
        finals(sales),
        this::read,
        add(sales, sale("12:01", "eu", 1.0)).rows(),
        add(sales, sale("12:14", "eu", 2.0), sale("12:03", "eu", 4.0)).rows().watermark("12:04"),
        add(sales, sale("12:15", "eu", 8.0)).rows(total("12:00", "12:05", "eu", 5.0)).state(2),
        restart().rows(total("12:00", "12:05", "eu", 5.0)),
        add(sales, sale("12:04", "eu", 16.0)).rows(total("12:00", "12:05", "eu", 5.0)).dropped(1),
        add(sales, sale("12:30", "eu", 32.0))
            .rows(
                total("12:00", "12:05", "eu", 5.0),
                total("12:10", "12:15", "eu", 2.0),
                total("12:15", "12:20", "eu", 8.0)));
  }

  @Test
  void theLatestRevisionOfATotalCounts(FileStream sales) {
    testStream(
        revisions(sales),
        this::latest,
        add(sales, sale("12:01", "eu", 1.0), sale("12:01", null, 1.0))
            .rows(total("12:00", "12:05", "eu", 1.0), total("12:00", "12:05", null, 1.0)),
        add(sales, sale("12:02", "eu", -3.0))
            .rows(total("12:00", "12:05", "eu", -2.0), total("12:00", "12:05", null, 1.0)),
        restart(),
        add(sales, sale("12:14", "us", null))
            .rows(
                total("12:00", "12:05", "eu", -2.0),
                total("12:00", "12:05", null, 1.0),
                total("12:10", "12:15", "us", null)));
  }

  @Test
  void theHistoryHasEveryRevision(FileStream sales) {
    testStream(
        revisions(sales),
        this::history,
        add(sales, sale("12:01", "eu", 1.0)).rows(revision("eu", 1.0, 0)).microBatches(2),
        add(sales, sale("12:01", "eu", 2.0), sale("12:01", "us", 4.0))
            .rows(revision("eu", 1.0, 0), revision("eu", 3.0, 2), revision("us", 4.0, 2))
            .microBatches(1),
        add(sales, sale("12:01", "us", null))
            .rows(
                revision("eu", 1.0, 0),
                revision("eu", 3.0, 2),
                revision("us", 4.0, 2),
                revision("us", 4.0, 3)));
  }

  private static Row revision(String region, Double total, long batch) {
    return row(window("12:00", "12:05"), region, total, batch);
  }

  @Test
  void theSameColumnsAreThereBeforeTheFirstMicroBatchAndAfter(FileStream sales) {
    List<Dataset<Row>> before = List.of(read(), latest(), history());
    assertThat(before).allSatisfy(table -> assertThat(table.collectAsList()).isEmpty());

    Step[] steps = {add(sales, sale("12:01", "eu", 1.0)), add(sales, sale("13:01", "eu", 1.0))};
    testStream(finals(sales), this::read, steps);
    assertThat(read().schema().simpleString())
        .isEqualTo(before.get(0).schema().simpleString())
        .isEqualTo(
            "struct<window:struct<start:timestamp,end:timestamp>,region:string,"
                + "total_amount:double>");

    output = output.resolveSibling("revisions");
    testStream(revisions(sales), this::latest, restart());
    assertThat(latest().schema().simpleString())
        .isEqualTo(before.get(1).schema().simpleString())
        .isEqualTo(before.get(0).schema().simpleString());
    assertThat(history().schema().simpleString())
        .isEqualTo(before.get(2).schema().simpleString())
        .endsWith("total_amount:double,batch:bigint>");
  }

  @Test
  void theFileSinkDoesNotTakeUpdates(FileStream sales) {
    testStream(
        OutputModes.update(WindowedAggregation.buildQuery(sales.toDF()))
            .format("parquet")
            .option("path", output.toString()),
        start()
            .expectFailure(
                AnalysisException.class,
                "Data source parquet does not support Update output mode."));
  }

  @Test
  void aMicroBatchWithoutRowsWritesNoRevision(FileStream sales) {
    testStream(
        revisions(sales),
        this::latest,
        add(sales, sale("12:01", "eu", 1.0)).microBatches(2),
        add(sales, sale("12:02", "eu", 1.0)).microBatches(2),
        check(
            () ->
                assertThat(parts(output))
                    .extracting(part -> part.getParent().getFileName().toString())
                    .containsOnly("batch=0", "batch=2")));
  }

  @Test
  void theFileSinkWritesAFileForAMicroBatchWithoutRowsUnlessPartitioned(
      FileStream sales, TestSession session) {
    String dated = session.newDirectory().toString();
    testStream(
        finals(sales),
        this::read,
        add(sales, sale("12:01", "eu", 1.0)).rows().microBatches(2),
        check(() -> assertThat(parts(output)).hasSize(2)));
    testStream(
        checkpoint ->
            ParquetSink.buildQuery(
                WindowedAggregation.buildQuery(sales.toDF()), dated, checkpoint, true),
        () -> ParquetSink.read(spark, dated),
        start().rows().microBatches(2),
        check(() -> assertThat(parts(Path.of(dated))).isEmpty()));
  }

  /** The date is that of the window's start in UTC, whatever the session's time zone is. */
  @Test
  void bothCanBePartitionedByDate(FileStream sales, TestSession session) {
    spark.conf().set("spark.sql.session.timeZone", "Asia/Kathmandu");
    Dataset<Row> totals = WindowedAggregation.buildQuery(sales.toDF());
    Path revisions = session.newDirectory();
    Row first = total("2026-01-01T23:55", "2026-01-02T00:00", "eu", 1.0);
    Row second = total("2026-01-02T00:00", "2026-01-02T00:05", "eu", 2.0);
    Row third = total("2026-01-02T01:00", "2026-01-02T01:05", "eu", 4.0);
    testStream(
        checkpoint -> ParquetSink.buildQuery(totals, output.toString(), checkpoint, true),
        this::read,
        add(sales, sale("2026-01-01T23:59:59", "eu", 1.0), sale("2026-01-02T00:00", "eu", 2.0)),
        add(sales, sale("2026-01-02T01:00", "eu", 4.0)).rows(first, second));
    testStream(
        checkpoint -> ParquetSink.buildUpdateQuery(totals, revisions.toString(), checkpoint, true),
        () -> ParquetSink.latest(spark, revisions.toString()),
        start().rows(first, second, third));

    assertThat(parts(output))
        .extracting(part -> output.relativize(part.getParent()).toString())
        .containsExactlyInAnyOrder("date=2026-01-01", "date=2026-01-02");
    assertThat(parts(revisions))
        .extracting(part -> revisions.relativize(part.getParent()).toString())
        .contains("batch=0/date=2026-01-01", "batch=0/date=2026-01-02");
  }

  /** Each crash is followed by one more at the no-data micro-batch, where there is one. */
  @Test
  void aCrashAtEachMicroBatchChangesNoFinalTotal(FileStream sales) {
    testStream(
        finals(sales),
        this::read,
        crash(sales, sale("12:01", "eu", 1.0)).rows(),
        crash().rows(),
        crash(sales, sale("12:14", "eu", 2.0), sale("12:03", "eu", 4.0)).rows(),
        crash().rows(),
        crash(sales, sale("12:15", "eu", 8.0)).rows(),
        crash().rows(),
        add(sales, sale("12:30", "eu", 32.0))
            .rows(
                total("12:00", "12:05", "eu", 5.0),
                total("12:10", "12:15", "eu", 2.0),
                total("12:15", "12:20", "eu", 8.0)),
        crash()
            .rows(
                total("12:00", "12:05", "eu", 5.0),
                total("12:10", "12:15", "eu", 2.0),
                total("12:15", "12:20", "eu", 8.0)));
  }

  /** The sink has it already, so Spark does not run it again and sees none of its event times. */
  @Test
  void aReplayedMicroBatchDoesNotMoveTheWatermarkTheNextOneDoes(FileStream sales) {
    testStream(
        finals(sales),
        this::read,
        add(sales, sale("12:01", "eu", 1.0)).rows().watermark("11:51"),
        crash(sales, sale("12:15", "eu", 2.0)).rows().watermark("11:51").microBatches(1),
        add(sales, sale("12:14", "eu", 4.0)).rows().watermark("12:04"),
        add(sales, sale("12:15", "eu", 8.0))
            .rows(total("12:00", "12:05", "eu", 1.0))
            .watermark("12:05"));
  }

  @Test
  void aCrashAtEachMicroBatchChangesNoRevision(FileStream sales) {
    testStream(
        revisions(sales),
        this::history,
        crash(sales, sale("12:01", "eu", 1.0)).rows(revision("eu", 1.0, 0)),
        crash().rows(revision("eu", 1.0, 0)),
        crash(sales, sale("12:02", "eu", 2.0)).rows(revision("eu", 1.0, 0), revision("eu", 3.0, 2)),
        crash().rows(revision("eu", 1.0, 0), revision("eu", 3.0, 2)),
        crash(sales, sale("12:01", "eu", 4.0))
            .rows(revision("eu", 1.0, 0), revision("eu", 3.0, 2), revision("eu", 7.0, 4))
            .state(1),
        check(
            () ->
                assertThat(parts(output))
                    .as("those of the first attempts are gone")
                    .hasSize(history().inputFiles().length)));
  }

  /** A query that depends on more than its input can come to other rows in the replay. */
  @Test
  void aReplayWithoutRowsLeavesNoneOfTheFirstAttempt(FileStream sales) {
    Iterator<String> regions = List.of("eu", "us").iterator();
    testStream(
        checkpoint ->
            ParquetSink.buildUpdateQuery(
                WindowedAggregation.buildQuery(sales.toDF())
                    .where(col("region").equalTo(regions.next())),
                output.toString(),
                checkpoint),
        this::history,
        crash(sales, sale("12:01", "eu", 1.0)).rows());
  }

  /** The number of partitions is that of the first start. */
  @Test
  void aMicroBatchWritesAtMostOneFilePerShufflePartition(FileStream sales) {
    Row[] ofManyRegions =
        IntStream.range(0, 50).mapToObj(i -> sale("12:01", "region " + i, 1.0)).toArray(Row[]::new);
    spark.conf().set("spark.sql.shuffle.partitions", "3");
    testStream(
        revisions(sales),
        () -> history().select("batch").distinct(),
        add(sales, ofManyRegions).rows(row(0L)),
        check(() -> assertThat(parts(output)).hasSize(3)),
        check(() -> spark.conf().set("spark.sql.shuffle.partitions", "1")),
        restart(),
        add(sales, ofManyRegions).rows(row(0L), row(2L)),
        check(() -> assertThat(parts(output)).hasSize(6)));
  }

  /** The sink dies when its part files are written and its log is not. */
  @Test
  void partFilesOfARunThatDiedAreOnDiskAndNotRead(FileStream sales) {
    String hooked = HookedFileSystem.in(spark, output);
    testStream(
        finals(sales, hooked),
        () -> ParquetSink.read(spark, hooked),
        add(sales, sale("12:01", "eu", 1.0)).rows().microBatches(2),
        check(() -> HookedFileSystem.refuse(Change.RENAME, "_spark_metadata/2", "refused")),
        add(sales, sale("13:00", "eu", 2.0)).expectFailure(IOException.class, "refused"),
        check(HookedFileSystem::removeHook),
        start().rows(total("12:00", "12:05", "eu", 1.0)),
        check(
            () ->
                assertThat(parts(output))
                    .hasSizeGreaterThan(ParquetSink.read(spark, hooked).inputFiles().length)));
  }

  /** The target is left half written: its list of part files is missing. */
  @Test
  void aHalfWrittenRevisionIsNotReadAndIsReplaced(FileStream sales) {
    String hooked = HookedFileSystem.in(spark, output);
    testStream(
        revisions(sales, hooked),
        () -> ParquetSink.history(spark, hooked),
        add(sales, sale("12:01", "eu", 1.0)).rows(revision("eu", 1.0, 0)).microBatches(2),
        check(() -> HookedFileSystem.refuse(Change.RENAME, "batch=2/_parts", "refused")),
        add(sales, sale("12:02", "eu", 2.0)).expectFailure(IOException.class, "refused"),
        check(() -> assertThat(history().collectAsList()).hasSize(1)),
        check(HookedFileSystem::removeHook),
        start().rows(revision("eu", 1.0, 0), revision("eu", 3.0, 2)));
  }

  @Test
  void afterEachFaultOfTheFileSystemTheFinalTotalsGoOn(FileStream sales) {
    String hooked = HookedFileSystem.in(spark, output);
    testStream(
        finals(sales, hooked),
        () -> ParquetSink.read(spark, hooked),
        Stream.of(
                faults(sales, "12:01", Change.MKDIRS, "_spark_metadata"),
                faults(sales, "12:14", Change.CREATE, "part-"),
                faults(sales, "12:15", Change.WRITE, "part-"),
                faults(sales, "12:20", Change.WRITE, "_spark_metadata/"),
                Stream.of(
                    add(sales, sale("12:30", "eu", 1.0))
                        .rows(
                            total("12:00", "12:05", "eu", 1.0),
                            total("12:10", "12:15", "eu", 1.0),
                            total("12:15", "12:20", "eu", 1.0))))
            .flatMap(steps -> steps)
            .toArray(Step[]::new));
  }

  @Test
  void afterEachFaultOfTheFileSystemTheRevisionsGoOn(FileStream sales) {
    String hooked = HookedFileSystem.in(spark, output);
    testStream(
        revisions(sales, hooked),
        () -> ParquetSink.history(spark, hooked),
        Stream.of(
                faults(sales, "12:01", Change.WRITE, "_query_id"),
                faults(sales, "12:01", Change.MKDIRS, "batch="),
                faults(sales, "12:01", Change.WRITE, "part-"),
                faults(sales, "12:01", Change.WRITE, "_parts"),
                Stream.of(
                    add(sales, sale("12:01", "eu", 1.0))
                        .rows(
                            revision("eu", 1.0, 0),
                            revision("eu", 2.0, 2),
                            revision("eu", 3.0, 3),
                            revision("eu", 4.0, 4),
                            revision("eu", 5.0, 5))))
            .flatMap(steps -> steps)
            .toArray(Step[]::new));
  }

  private static Stream<Step> faults(FileStream sales, String time, Change change, String path) {
    return Stream.of(
        check(() -> HookedFileSystem.refuse(change, path, "No space left on device")),
        add(sales, sale(time, "eu", 1.0))
            .expectFailure(IOException.class, "No space left on device"),
        check(HookedFileSystem::removeHook),
        start());
  }

  private static List<Path> parts(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(file -> file.toString().endsWith(".parquet")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
