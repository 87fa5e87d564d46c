package streamingdeepdive.lesson;

import static java.util.stream.Collectors.toMap;
import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static streamingdeepdive.lesson.ParquetTotals.revision;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.crash;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import streamingdeepdive.recovery.HookedFileSystem;
import streamingdeepdive.recovery.HookedFileSystem.Change;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.Step;
import streamingdeepdive.testkit.StreamScript;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

/** Crashes between write and commit, and a file system that refuses a change. */
@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class ParquetSinkFaultsIT {
  /** So many that each of both part files has some. */
  private static final Row[] TWENTY_REGIONS =
      IntStream.range(0, 20).mapToObj(i -> sale("12:01", "r" + i, 1.0)).toArray(Row[]::new);

  private ParquetTotals totals;

  static Stream<Arguments> partitionColumns() {
    return Stream.of(new String[] {}, new String[] {"region"}, new String[] {"date"})
        .map(columns -> Arguments.of((Object) columns));
  }

  private void partitionBy(String... columns) {
    totals = new ParquetTotals(totals.spark(), totals.output(), columns);
  }

  @BeforeEach
  void nameOutput(TestSession session) {
    SparkSession spark = session.spark();
    String output = HookedFileSystem.in(spark, session.newDirectory().resolve("an output"));
    totals = new ParquetTotals(spark, output);
  }

  @AfterEach
  void mend() {
    HookedFileSystem.removeHook();
  }

  /** Each crash is followed by one more at the no-data micro-batch, where there is one. */
  @Test
  void aCrashAtEachMicroBatchChangesNoFinalTotal(FileStream sales) {
    testStream(
        totals.finals(sales),
        totals::read,
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
        totals.finals(sales),
        totals::read,
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
        totals.revisions(sales),
        totals::history,
        crash(sales, sale("12:01", "eu", 1.0)).rows(revision("eu", 1.0, 0)),
        crash().rows(revision("eu", 1.0, 0)),
        crash(sales, sale("12:02", "eu", 2.0)).rows(revision("eu", 1.0, 0), revision("eu", 3.0, 2)),
        crash().rows(revision("eu", 1.0, 0), revision("eu", 3.0, 2)),
        crash(sales, sale("12:01", "eu", 4.0))
            .rows(revision("eu", 1.0, 0), revision("eu", 3.0, 2), revision("eu", 7.0, 4))
            .state(1),
        check(
            () ->
                assertThat(totals.parts())
                    .as("those of the first attempts are gone")
                    .hasSize(totals.history().inputFiles().length)));
  }

  /**
   * A query that depends on more than its input can come to other rows in the replay. Whatever the
   * session is set to, they replace those of the first attempt.
   */
  @ParameterizedTest
  @MethodSource("partitionColumns")
  void aReplayWithoutRowsLeavesNoneOfTheFirstAttempt(
      String[] partitionColumns, FileStream sales, SparkSession spark) {
    partitionBy(partitionColumns);
    spark.conf().set("spark.sql.sources.partitionOverwriteMode", "dynamic");
    spark.conf().set("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false");
    Iterator<String> regions = List.of("eu", "us").iterator();
    testStream(
        checkpoint ->
            ParquetSink.buildUpdateQuery(
                WindowedAggregation.buildQuery(sales.toDF())
                    .where(col("region").equalTo(regions.next())),
                totals.output(),
                checkpoint,
                partitionColumns),
        totals::history,
        crash(sales, sale("12:01", "eu", 1.0)).rows(),
        add(sales, sale("12:01", "us", 2.0)).rows(revision("us", 2.0, 1)));
  }

  /** The sink dies when its part files are written and its log is not. */
  @Test
  void partFilesOfARunThatDiedAreOnDiskAndNotRead(FileStream sales) {
    testStream(
        totals.finals(sales),
        totals::read,
        add(sales, sale("12:01", "eu", 1.0)).rows().microBatches(2),
        check(() -> HookedFileSystem.refuse(Change.RENAME, "_spark_metadata/2", "refused")),
        add(sales, sale("13:00", "eu", 2.0)).expectFailure(IOException.class, "refused"),
        check(HookedFileSystem::removeHook),
        start().rows(total("12:00", "12:05", "eu", 1.0)),
        check(
            () ->
                assertThat(totals.parts()).hasSizeGreaterThan(totals.read().inputFiles().length)));
  }

  /** All part files are there, and Spark has not marked them as complete. */
  @Test
  void aHalfWrittenRevisionIsNotReadAndIsReplaced(FileStream sales) {
    testStream(
        totals.revisions(sales),
        totals::history,
        add(sales, sale("12:01", "eu", 1.0)).rows(revision("eu", 1.0, 0)).microBatches(2),
        check(() -> HookedFileSystem.refuse(Change.CREATE, "batch=2/_SUCCESS", "refused")),
        add(sales, sale("12:02", "eu", 2.0)).expectFailure(IOException.class, "refused"),
        check(() -> assertThat(totals.history().collectAsList()).hasSize(1)),
        check(HookedFileSystem::removeHook),
        start().rows(revision("eu", 1.0, 0), revision("eu", 3.0, 2)));
  }

  @Test
  void afterEachFaultOfTheFileSystemTheFinalTotalsGoOn(FileStream sales) {
    testStream(
        totals.finals(sales),
        totals::read,
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
    testStream(
        totals.revisions(sales),
        totals::history,
        Stream.of(
                faults(sales, "12:01", Change.WRITE, "_query_id"),
                faults(sales, "12:01", Change.MKDIRS, "batch="),
                faults(sales, "12:01", Change.WRITE, "part-"),
                faults(sales, "12:01", Change.RENAME, "part-"),
                faults(sales, "12:01", Change.CREATE, "_SUCCESS"),
                Stream.of(
                    add(sales, sale("12:01", "eu", 1.0))
                        .rows(
                            revision("eu", 1.0, 0),
                            revision("eu", 2.0, 2),
                            revision("eu", 3.0, 3),
                            revision("eu", 4.0, 4),
                            revision("eu", 5.0, 5),
                            revision("eu", 6.0, 6))))
            .flatMap(steps -> steps)
            .toArray(Step[]::new));
  }

  /** It reads before each change of the directory's own files, in both attempts. */
  @Test
  void aReaderSeesTheStateBeforeAMicroBatchOrAllOfIt(FileStream sales) {
    List<Map<String, Double>> seen = new ArrayList<>();
    testStream(
        totals.revisions(sales),
        totals::latest,
        add(sales, TWENTY_REGIONS),
        check(
            () ->
                HookedFileSystem.setHook(
                    (change, path) -> {
                      if (TaskContext.get() == null && !path.toString().contains("_temporary")) {
                        seen.add(amounts());
                      }
                    })),
        crash(sales, TWENTY_REGIONS),
        check(HookedFileSystem::removeHook),
        check(() -> assertThat(amounts()).isEqualTo(amountsOf(2.0))));

    assertThat(seen)
        .hasSizeGreaterThan(10)
        .containsSubsequence(amountsOf(1.0), amountsOf(2.0), amountsOf(1.0))
        .containsOnly(amountsOf(1.0), amountsOf(2.0));
  }

  /** It reads all the time, so that a replay comes at any moment of it. */
  @Test
  void aReaderDuringReplaysSeesNoPartOfAMicroBatchWithoutAnError(FileStream sales)
      throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    List<Map<String, Double>> seen = new ArrayList<>();
    Thread reader =
        new Thread(
            () -> {
              while (!done.get()) {
                try {
                  seen.add(amounts());
                } catch (Exception e) {
                  // Some of what it lists or reads is gone; Scala throws checked ones undeclared.
                }
              }
            });
    testStream(
        totals.revisions(sales),
        totals::latest,
        Stream.of(
                Stream.of(
                    add(sales, TWENTY_REGIONS),
                    add(sales, TWENTY_REGIONS).microBatches(1),
                    check(reader::start)),
                Stream.generate(StreamScript::crash).limit(4),
                Stream.of(check(() -> done.set(true))))
            .flatMap(steps -> steps)
            .toArray(Step[]::new));
    reader.join();

    assertThat(seen).contains(amountsOf(2.0)).isSubsetOf(amountsOf(1.0), amountsOf(2.0));
  }

  /** The part files that it has listed are gone. */
  @Test
  void aTableThatWasListedBeforeAReplayFails(FileStream sales) {
    List<Dataset<Row>> listed = new ArrayList<>();
    testStream(
        totals.revisions(sales),
        totals::latest,
        add(sales, sale("12:01", "eu", 1.0)),
        add(sales, sale("12:01", "eu", 1.0)).microBatches(1),
        check(() -> listed.add(totals.latest())),
        crash(),
        check(
            () ->
                assertThatThrownBy(() -> listed.get(0).collectAsList())
                    .hasRootCauseInstanceOf(FileNotFoundException.class)));
  }

  private Map<String, Double> amounts() {
    return totals.latest().collectAsList().stream()
        .collect(toMap(row -> row.getString(1), row -> row.getDouble(2)));
  }

  private static Map<String, Double> amountsOf(double amount) {
    return Arrays.stream(TWENTY_REGIONS).collect(toMap(row -> row.getString(1), row -> amount));
  }

  private static Stream<Step> faults(FileStream sales, String time, Change change, String path) {
    return Stream.of(
        check(() -> HookedFileSystem.refuse(change, path, "No space left on device")),
        add(sales, sale(time, "eu", 1.0))
            .expectFailure(IOException.class, "No space left on device"),
        check(HookedFileSystem::removeHook),
        start());
  }
}
