package streamingdeepdive.recovery;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileUtil;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import streamingdeepdive.app.LandingDirectory;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.ParquetSink;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

/** What is said instead of a start that would lose or double rows. Nothing is touched. */
@ExtendWith(StreamingExtension.class)
class ParquetSinkGuardsTest {
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

  /** Two files are there to be taken in. */
  @BeforeEach
  void land(TestSession session) {
    spark = session.spark();
    place = session.newDirectory();
    LandingDirectory input = new LandingDirectory(place.resolve("input"));
    for (String time : List.of("12:01", "12:20")) {
      input.land(
          time.substring(3) + ".json",
          "{\"event_time\":\"2026-01-01T%s:00Z\",\"region\":\"eu\",\"amount\":1.0}\n"
              .formatted(time));
    }
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

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          FINAL     | : it has micro-batches up to 2, and Spark would pass over as many without a word.
          REVISIONS | , and its micro-batches would be replaced.
          """)
  void anOutputThatAnotherCheckpointWrote(Sink sink, String why) throws Exception {
    run(sink);

    assertRefused(
        sink,
        "output",
        "new",
        "The output output was written from another checkpoint than new"
            + why
            + " Start on the checkpoint that wrote it, or give the query a new output.");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = "FINAL | , micro-batches 0 to 2\nREVISIONS | ''")
  void aCheckpointWhoseOutputIsGone(Sink sink, String which) throws Exception {
    run(sink);

    assertRefused(
        sink,
        "elsewhere",
        "checkpoint",
        "The output elsewhere lacks what was written from the checkpoint checkpoint"
            + which
            + ". Restore the output, or start anew with a new checkpoint and a new output.");
  }

  @ParameterizedTest
  @CsvSource({"FINAL,_spark_metadata", "REVISIONS,_query_id"})
  void anOutputWhoseFilesNobodyCanTellApart(Sink sink, String missing) throws Exception {
    run(sink);
    FileUtil.fullyDelete(place.resolve("output").resolve(missing).toFile());

    String sentence =
        "The output output holds files but not "
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
        "The checkpoint checkpoint is in use by a running query. Stop that query first, or give this"
            + " one a checkpoint of its own.";
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
          a/b       | a       | output a/b and the checkpoint a
          a         | a/b     | output a and the checkpoint a/b
          a         | a/      | output a and the checkpoint a
          input/out | a       | input input and the output input/out
          a         | input/a | input input and the checkpoint input/a
          a/../b    | b       | output b and the checkpoint b
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

  @Test
  void thePatternOfAnInputCountsUpToItsFirstWildcard() throws IOException {
    Dataset<Row> events = FileSource.read(spark, in("in*/2026"));

    assertRefused(
        () -> ParquetSink.buildQuery(events, in("output"), in("checkpoint")),
        "The input hooked:"
            + place
            + " and the output output are inside one another. Give each a directory of its own.");
  }

  @ParameterizedTest
  @CsvSource({
    "offsets/2,Incomplete log file",
    "commits/2,Incomplete log file in the offset commit log",
    "metadata,No content to map due to end-of-input"
  })
  void aDamagedCheckpoint(String file, String damage) throws Exception {
    run(Sink.FINAL);
    Path damaged = place.resolve("checkpoint").resolve(file);
    byte[] whole = Files.readAllBytes(damaged);
    Files.write(damaged, new byte[0]);

    assertRefused(
        Sink.FINAL,
        "output",
        "checkpoint",
        "The checkpoint file checkpoint/"
            + file
            + " is damaged: "
            + damage
            + ". Restore the checkpoint from a backup, or start anew with a new checkpoint and a new"
            + " output.");
    Files.write(damaged, whole);
    start(Sink.FINAL);
  }

  @ParameterizedTest
  @EnumSource
  void aPartFileThatWasDeletedIsNamedByTheReader(Sink sink) throws Exception {
    run(sink);
    List<Path> parts;
    try (Stream<Path> files = Files.walk(place.resolve("output"))) {
      parts = files.filter(file -> file.toString().endsWith(".parquet")).toList();
    }
    Files.delete(parts.get(0));

    assertRefused(
        () -> sink.read(spark, in("output")),
        "The part file output/"
            + place.resolve("output").relativize(parts.get(0))
            + " is gone, and its rows with it. Restore it, or start anew with a new checkpoint and a"
            + " new output.");
  }
}
