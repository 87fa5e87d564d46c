package streamingdeepdive.recovery;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.commons.io.FileUtils;
import org.apache.hadoop.fs.FileUtil;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import streamingdeepdive.app.DirectoryFeed;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.ParquetSink;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;
import streamingdeepdive.trap.LostCheckpoint;

/** What is said instead of a start that would lose or double rows. Nothing is touched. */
@ExtendWith(StreamingExtension.class)
class ParquetSinkGuardsIT {
  /** The two ways to write totals. */
  enum Sink {
    FINAL {
      @Override
      DataStreamWriter<Row> build(Dataset<Row> totals, String output, String checkpoint) {
        return ParquetSink.buildQuery(totals, output, checkpoint);
      }

      @Override
      Dataset<Row> read(SparkSession spark, String output) {
        return ParquetSink.read(spark, output);
      }
    },
    REVISIONS {
      @Override
      DataStreamWriter<Row> build(Dataset<Row> totals, String output, String checkpoint) {
        return ParquetSink.buildUpdateQuery(totals, output, checkpoint);
      }

      @Override
      Dataset<Row> read(SparkSession spark, String output) {
        return ParquetSink.latest(spark, output);
      }
    };

    abstract DataStreamWriter<Row> build(Dataset<Row> totals, String output, String checkpoint);

    abstract Dataset<Row> read(SparkSession spark, String output);
  }

  private SparkSession spark;
  private Path place;
  private DirectoryFeed input;

  /** Two files are there to be taken in. */
  @BeforeEach
  void land(TestSession session) {
    spark = session.spark();
    place = session.newDirectory();
    input = new DirectoryFeed(place.resolve("input"));
    land("12:01");
    land("12:20");
  }

  private void land(String time) {
    input.land(
        time.replace(':', '-') + ".json",
        "{\"event_time\":\"2026-01-01T%s:00Z\",\"region\":\"eu\",\"amount\":1.0}\n"
            .formatted(time));
  }

  private String in(String name) {
    return HookedFileSystem.in(spark, place.resolve(name));
  }

  private DataStreamWriter<Row> build(Sink sink, String output, String checkpoint) {
    return build(sink, spark, output, checkpoint);
  }

  private DataStreamWriter<Row> build(
      Sink sink, SparkSession session, String output, String checkpoint) {
    Dataset<Row> events = FileSource.read(session, in("input"));
    return sink.build(WindowedAggregation.buildQuery(events), in(output), in(checkpoint));
  }

  private StreamingQuery start(Sink sink) throws Exception {
    StreamingQuery query = build(sink, "output", "checkpoint").start();
    query.processAllAvailable();
    return query;
  }

  private void run(Sink sink) throws Exception {
    start(sink).stop();
  }

  /** The sentence names the directories below that of the test. */
  private void assertRefused(Sink sink, String output, String checkpoint, String sentence)
      throws IOException {
    assertRefused(() -> build(sink, output, checkpoint), sentence);
  }

  private void assertRefused(ThrowingCallable start, String sentence) throws IOException {
    Map<String, String> before = files();

    assertThatThrownBy(start)
        .isInstanceOfAny(IllegalStateException.class, IllegalArgumentException.class)
        .hasNoCause()
        .extracting(failure -> failure.getMessage().replace("hooked:" + place + "/", ""))
        .isEqualTo(sentence);
    assertThat(files()).isEqualTo(before);
  }

  private Map<String, String> files() throws IOException {
    try (Stream<Path> files = Files.walk(place)) {
      return files
          .map(Path::toFile)
          .collect(toMap(File::toString, file -> file.length() + ", " + file.lastModified()));
    }
  }

  @Test
  void finalTotalsThatAnotherCheckpointWrote() throws Exception {
    run(Sink.FINAL);

    assertRefused(
        Sink.FINAL, "output", "new", ahead("new", 2, "which Spark would pass over without a word"));
  }

  @Test
  void revisionsThatAnotherCheckpointWrote() throws Exception {
    run(Sink.REVISIONS);

    assertRefused(
        Sink.REVISIONS,
        "output",
        "new",
        "The output directory output was written from another checkpoint location than new, and its micro-batches would"
            + " be replaced. Start on the checkpoint that wrote it, or give the query a new output.");
  }

  @ParameterizedTest
  @CsvSource({
    "FINAL,4,which Spark would pass over without a word",
    "REVISIONS,4,whose rows would count as the newest"
  })
  void aCheckpointThatWasSetBack(Sink sink, int last, String consequence) throws Exception {
    run(sink);
    File backup = place.resolve("backup").toFile();
    FileUtils.copyDirectory(place.resolve("checkpoint").toFile(), backup);
    land("12:40");
    run(sink);
    FileUtils.deleteDirectory(place.resolve("checkpoint").toFile());
    FileUtils.moveDirectory(backup, place.resolve("checkpoint").toFile());

    assertRefused(sink, "output", "checkpoint", ahead("checkpoint", last, consequence));
  }

  private static String ahead(String checkpoint, int microBatch, String consequence) {
    return "The output directory output is ahead of the checkpoint location %s: it has micro-batches up to %d, %s. Start on the checkpoint that wrote it, as it is now, or give the query a new output."
        .formatted(checkpoint, microBatch, consequence);
  }

  @ParameterizedTest
  @EnumSource
  void aCheckpointWhoseOutputIsGone(Sink sink) throws Exception {
    run(sink);

    assertRefused(
        sink,
        "elsewhere",
        "checkpoint",
        "The output directory elsewhere lacks what was written from the checkpoint location checkpoint,"
            + " micro-batches 0 to 2. Restore the output, or start anew with a new checkpoint and a"
            + " new output.");
  }

  @ParameterizedTest
  @CsvSource({"FINAL,_spark_metadata", "REVISIONS,_query_id"})
  void anOutputWhoseFilesNobodyCanTellApart(Sink sink, String missing) throws Exception {
    run(sink);
    FileUtil.fullyDelete(place.resolve("output").resolve(missing).toFile());

    String sentence =
        "The output directory output holds files but not "
            + missing
            + ", which tells those to be read. Restore it, or start anew with a new checkpoint and a"
            + " new output.";
    assertRefused(sink, "output", "checkpoint", sentence);
    assertRefused(sink, "output", "new", sentence);
  }

  @ParameterizedTest
  @EnumSource
  void aCheckpointInUseInAnySessionOfThisJvm(Sink sink) throws Exception {
    StreamingQuery running = start(sink);

    String sentence =
        "The checkpoint location checkpoint is in use by a running query. Stop that query first, or give this"
            + " one a checkpoint location of its own.";
    assertRefused(sink, "output", "checkpoint", sentence);
    SparkSession other = spark.newSession();
    assertRefused(() -> build(sink, other, "output", "checkpoint"), sentence);
    assertThat(running.isActive()).isTrue();

    running.stop();
    start(sink);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          a/b       | a       | output directory a/b and the checkpoint location a
          a         | a/b     | output directory a and the checkpoint location a/b
          a         | a/      | output directory a and the checkpoint location a
          input/out | a       | input directory input and the output directory input/out
          a         | input/a | input directory input and the checkpoint location input/a
          a/../b    | b       | output directory b and the checkpoint location b
          """)
  void directoriesInsideOneAnother(String output, String checkpoint, String which)
      throws IOException {
    for (Sink sink : Sink.values()) {
      assertRefused(
          sink,
          output,
          checkpoint,
          "The " + which + " are inside one another. Give each a directory of its own.");
    }
  }

  @ParameterizedTest
  @CsvSource({"out{1,out*", "out[1],out1", "out*,output", "in*,in?"})
  void outputAndCheckpointAreNoPatterns(String output, String checkpoint) {
    assertThatCode(() -> build(Sink.FINAL, output, checkpoint)).doesNotThrowAnyException();
  }

  /** Spark knows a file by its path. Its log has a file for each micro-batch, or one for two. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aDirectoryThatWasRenamed(int compactInterval) throws Exception {
    spark.conf().set("spark.sql.streaming.fileSource.log.compactInterval", compactInterval);
    run(Sink.FINAL);
    Files.move(place.resolve("input"), place.resolve("new"));
    Dataset<Row> events = FileSource.read(spark, in("new"));

    assertRefused(
        () ->
            ParquetSink.buildQuery(
                WindowedAggregation.buildQuery(events), in("output"), in("checkpoint")),
        "The checkpoint location checkpoint has read input/12-20.json, which is not in the input directory new; all files there would be read, those too that were read under other names. Give the directory its old name, or start anew with a new checkpoint and a new output.");
    Files.move(place.resolve("new"), place.resolve("input"));
    for (String input : List.of("input/", "in*", "input/12-*.json")) {
      ParquetSink.buildQuery(eventsOfPattern(input), in("output"), in("checkpoint"));
    }
  }

  /** Each source has a directory of its own in the checkpoint. */
  @Test
  void theSecondOfTwoDirectoriesThatWasRenamed() throws Exception {
    Files.createDirectory(place.resolve("second"));
    Dataset<Row> first = FileSource.read(spark, in("input"));
    Dataset<Row> both = first.unionAll(FileSource.read(spark, in("second")));
    StreamingQuery query = ParquetSink.buildQuery(both, in("output"), in("checkpoint")).start();
    query.processAllAvailable();
    Files.move(place.resolve("input/12-01.json"), place.resolve("second/12-01.json"));
    query.processAllAvailable();
    query.stop();
    Files.move(place.resolve("second"), place.resolve("third"));
    Dataset<Row> renamed = first.unionAll(FileSource.read(spark, in("third")));

    assertThatThrownBy(() -> ParquetSink.buildQuery(renamed, in("output"), in("checkpoint")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("second/12-01.json, which is not in the input directory hooked:");
  }

  private Dataset<Row> eventsOfPattern(String input) throws IOException {
    Files.createDirectories(place.resolve("input/2026"));
    return FileSource.read(spark, "hooked:" + place + "/" + input);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {"in*;input/output", "*/2026;output", "{input,other}/20??;input/2026/output"})
  void anInputWithWildcardsThatCanMatchTheOutput(String input, String output) throws IOException {
    Dataset<Row> events = eventsOfPattern(input);

    assertRefused(
        () -> ParquetSink.buildQuery(events, in(output), in("checkpoint")),
        "The input directory %s and the output directory %s are inside one another. Give each a directory of its own."
            .formatted(input, output));
  }

  @ParameterizedTest
  @CsvSource({"in*,output", "in*/2026,input/output", "in*/20*,other/2027"})
  void anInputWithWildcardsThatCannotMatchTheOutput(String input, String output)
      throws IOException {
    ParquetSink.buildQuery(eventsOfPattern(input), in(output), in("checkpoint"));
  }

  @ParameterizedTest
  @CsvSource({
    "FINAL,offsets/2,'',Incomplete log file",
    "FINAL,offsets/1,'',Incomplete log file",
    "REVISIONS,offsets/2,v1,next on empty iterator",
    "REVISIONS,offsets/1,,it is gone",
    "FINAL,commits/2,'',Incomplete log file in the offset commit log",
    "FINAL,metadata,'',No content to map due to end-of-input"
  })
  void aDamagedCheckpoint(Sink sink, String file, String content, String damage) throws Exception {
    run(sink);
    Path damaged = place.resolve("checkpoint").resolve(file);
    byte[] whole = Files.readAllBytes(damaged);
    if (content == null) {
      Files.delete(damaged);
    } else {
      Files.writeString(damaged, content);
    }

    assertRefused(
        sink,
        "output",
        "checkpoint",
        "The checkpoint file checkpoint/"
            + file
            + " is damaged: "
            + damage
            + ". Restore checkpoint and output as they were at one moment, or start anew with a new"
            + " checkpoint and a new output.");
    Files.write(damaged, whole);
    start(sink);
  }

  /** That is why the guard looks at them too. */
  @Test
  void sparkDiesIfTheOffsetsBeforeTheNewestAreGone() throws Exception {
    run(Sink.FINAL);
    Files.delete(place.resolve("checkpoint/offsets/1"));
    Dataset<Row> totals = WindowedAggregation.buildQuery(FileSource.read(spark, in("input")));
    StreamingQuery unguarded =
        LostCheckpoint.buildUnguardedQuery(totals, in("output"), in("checkpoint")).start();

    assertThatThrownBy(unguarded::processAllAvailable)
        .isInstanceOf(StreamingQueryException.class)
        .hasMessageContaining("batch 1 doesn't exist");
  }

  /** Of Spark's file sink the log has no name of its query. */
  @Test
  void anOutputThatAnotherQueryWroteIsNotNoticedIfItHasComeEquallyFar() throws Exception {
    run(Sink.FINAL);
    StreamingQuery other = build(Sink.FINAL, "other output", "other checkpoint").start();
    other.processAllAvailable();
    other.stop();

    assertThatCode(() -> build(Sink.FINAL, "output", "other checkpoint"))
        .doesNotThrowAnyException();
  }

  @Test
  void aMicroBatchWhoseDirectoryWasDeletedIsNotMissed() throws Exception {
    run(Sink.REVISIONS);
    assertThat(Sink.REVISIONS.read(spark, in("output")).count()).isEqualTo(2);
    FileUtils.deleteDirectory(place.resolve("output/batch=0").toFile());

    assertThat(Sink.REVISIONS.read(spark, in("output")).count()).isEqualTo(1);
    start(Sink.REVISIONS);
  }

  @Test
  void theNewestMicroBatchWhoseDirectoryWasDeletedIsMissed() throws Exception {
    run(Sink.REVISIONS);
    FileUtils.deleteDirectory(place.resolve("output/batch=2").toFile());

    assertRefused(
        Sink.REVISIONS,
        "output",
        "checkpoint",
        "The output directory output lacks what was written from the checkpoint location checkpoint,"
            + " micro-batches 2 to 2. Restore the output, or start anew with a new checkpoint and a"
            + " new output.");
  }

  /** Of revisions it is not missed, as a whole directory is not. */
  @Test
  void aPartFileOfFinalTotalsThatWasDeletedIsNamedByTheReader() throws Exception {
    run(Sink.FINAL);
    List<Path> parts;
    try (Stream<Path> files = Files.walk(place.resolve("output"))) {
      parts = files.filter(file -> file.toString().endsWith(".parquet")).toList();
    }
    Files.delete(parts.get(0));

    assertRefused(
        () -> Sink.FINAL.read(spark, in("output")),
        "The part file output/"
            + place.resolve("output").relativize(parts.get(0))
            + " is gone, and its rows with it. Restore it, or start anew with a new checkpoint and a"
            + " new output.");
  }
}
