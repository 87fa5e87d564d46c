package streamingdeepdive.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.streaming.OutputMode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.ParquetSink;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.recovery.HookedFileSystem;
import streamingdeepdive.recovery.HookedFileSystem.Change;
import streamingdeepdive.testkit.TestSession;

class CommandLineRunTest {
  @TempDir Path directory;

  private record Result(int exitCode, CapturedOutput output) {}

  /** The session of this JVM, beside which each run opens its own. */
  @BeforeAll
  static void startSpark() {
    TestSession.open().close();
  }

  private static Result run(StreamingApp.Body body, String... args) {
    return run(new DirectoryOptions(), body, args);
  }

  private static Result run(InputOptions input, StreamingApp.Body body, String... args) {
    int[] exitCode = new int[1];
    CapturedOutput output =
        CapturedOutput.of(
            () ->
                exitCode[0] =
                    CommandLineRun.execute(
                        CommandLineRunTest.class, "Tests the command line.", args, input, body));
    return new Result(exitCode[0], output);
  }

  private static void notReached(AppRun app) {
    throw new AssertionError("must not run");
  }

  @Test
  void helpIsPrintedAndNothingRuns() {
    Result result = run(CommandLineRunTest::notReached, "--help");

    assertThat(result.exitCode()).isZero();
    assertThat(result.output().err()).isEmpty();
    assertThat(result.output().out())
        .startsWith("Usage: CommandLineRunTest [")
        .contains("Tests the command line.", "--input=DIR", "--checkpoint=DIR", "--ui");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          --inptu x                | Unknown options: '--inptu', 'x'; --help lists what is possible.
          --input                  | Missing required parameter for option '--input' (DIR); --help lists what is possible.
          --input x --trigger soon | Invalid value for option '--trigger': 'soon' is not an interval such as '10 seconds'; --help lists what is possible.
          --checkpoint x           | --checkpoint and --trigger go with --input; the replay of the sample data has its own.
          --output x               | Unknown options: '--output', 'x'; --help lists what is possible.
          """)
  void aWrongCommandLineIsOneSentenceAndExitCodeTwo(String args, String sentence) {
    Result result = run(CommandLineRunTest::notReached, args.split(" "));

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.output().out()).isEmpty();
    assertThat(result.output().err()).isEqualToIgnoringNewLines(sentence + "\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          --output x             | --output, --checkpoint and --trigger go with --input; the replay of the sample data has its own.
          --input x --output x   | --input needs --output and --checkpoint here: they are kept, so that the next start can go on.
          """)
  void aMainWithASinkNeedsAPlaceForIt(String args, String sentence) {
    Result result =
        run(new FilesToDirectoryOptions(Map.of()), CommandLineRunTest::notReached, args.split(" "));

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.output().err()).isEqualToIgnoringNewLines(sentence + "\n");
  }

  @Test
  void aMissingDirectoryIsOneSentenceAndExitCodeTwo() {
    Path missing = directory.resolve("missing");
    Result result = run(CommandLineRunTest::notReached, "--input", missing.toString());

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.output().err())
        .isEqualToIgnoringNewLines(
            "--input " + missing + " does not exist; name a directory of event files.\n");
  }

  @Test
  void aFileInsteadOfADirectoryIsOneSentenceAndExitCodeTwo() throws Exception {
    Path file = Files.writeString(directory.resolve("a.json"), "{}\n");
    Result result = run(CommandLineRunTest::notReached, "--input", file.toString());

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.output().err())
        .isEqualToIgnoringNewLines("--input " + file + " is a file; name its directory.\n");
  }

  @Test
  void anUnknownFileSystemIsOneSentenceAndExitCodeTwo() {
    Result result = run(CommandLineRunTest::notReached, "--input", "nofs://host/events");

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.output().err())
        .isEqualToIgnoringNewLines(
            "--input nofs://host/events cannot be read: No FileSystem for scheme \"nofs\"\n");
  }

  /** A query that dies in a task when the first row arrives. */
  private static void dies(AppRun app) throws Exception {
    Dataset<Row> broken =
        app.spark()
            .readStream()
            .text(app.input())
            .select(functions.raise_error(functions.lit("the row is broken")));
    app.out().steps(broken.writeStream().outputMode(OutputMode.Append()));
  }

  @Test
  void aQueryThatDiesIsItsRootCauseAndExitCodeOne() {
    Result result = run(CommandLineRunTest::dies);

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.output().out()).isEmpty();
    assertThat(result.output().err()).isEqualToIgnoringNewLines("the row is broken\n");
  }

  @Test
  void theStackTraceComesWithVerbose() {
    Result result = run(CommandLineRunTest::dies, "--verbose");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.output().err())
        .startsWith("the row is broken")
        .contains("StreamingQueryException", "\tat org.apache.spark")
        .as("the plan, with the options of its source")
        .doesNotContain("=== Streaming Query ===", "Project [");
  }

  @Test
  void aQueryThatCannotStartIsSparksSentence() {
    Result result =
        run(
            app ->
                app.out()
                    .steps(
                        app.spark()
                            .readStream()
                            .text(app.input())
                            .groupBy("value")
                            .count()
                            .writeStream()
                            .outputMode(OutputMode.Append())));

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.output().err())
        .startsWith("Append output mode not supported when there are streaming aggregations")
        .hasLineCount(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          append | CREATE | /output/part-    | Permission denied: hooked:/out/part-0 | Permission denied: hooked:/out/part-0
          append | CREATE | /output/part-    | Permission denied                     | Permission denied, in the output hooked:/PLACE/output or the checkpoint hooked:/PLACE/checkpoint
          append | MKDIRS | /_spark_metadata | Read-only file system                 | Read-only file system, in the output hooked:/PLACE/output or the checkpoint hooked:/PLACE/checkpoint
          append | WRITE  | /output/part-    | No space left on device               | No space left on device, writing to hooked:/PLACE/output
          append | WRITE  | /state/.*delta   | No space left on device               | No space left on device, writing to hooked:/PLACE/checkpoint/state/0/0
          append | WRITE  | /offsets/        | No space left on device               | No space left on device, in the output hooked:/PLACE/output or the checkpoint hooked:/PLACE/checkpoint
          update | MKDIRS | /output/batch=   | Read-only file system                 | Read-only file system, in the output hooked:/PLACE/output or the checkpoint hooked:/PLACE/checkpoint
          update | WRITE  | /output/.*part-  | No space left on device               | No space left on device, writing to hooked:/PLACE/output/batch=0
          update | WRITE  | /output/.*_parts | No space left on device               | No space left on device, in the output hooked:/PLACE/output or the checkpoint hooked:/PLACE/checkpoint
          """)
  void aFaultOfTheFileSystemSaysWhereAndWhatToDo(
      String mode, Change change, String path, String fault, String sentence) throws Exception {
    new LandingDirectory(directory.resolve("input"))
        .land("1.json", "{\"event_time\":\"2026-01-01T12:00:00Z\"}\n");
    String place = HookedFileSystem.in(SparkSession.active(), directory);
    HookedFileSystem.refuse(change, path, fault);
    Result result =
        run(
            new FilesToDirectoryOptions(Map.of()),
            app -> {
              // No second task may still write when the directory is deleted.
              app.spark().conf().set("spark.sql.shuffle.partitions", "1");
              Dataset<Row> totals =
                  WindowedAggregation.buildQuery(FileSource.read(app.spark(), app.input()));
              app.out()
                  .sinks(
                      Map.of(
                          "",
                          new Printout.Sink(
                              mode.equals("append")
                                  ? ParquetSink.buildQuery(totals, app.output(), app.checkpoint(""))
                                  : ParquetSink.buildUpdateQuery(
                                      totals, app.output(), app.checkpoint("")),
                              () -> null)));
            },
            "--input=" + place + "/input",
            "--output=" + place + "/output",
            "--checkpoint=" + place + "/checkpoint");
    HookedFileSystem.removeHook();

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(
            result
                .output()
                .err()
                .replaceAll("hooked:/+" + directory.toString().substring(1), "hooked:/PLACE"))
        .isEqualToIgnoringNewLines(
            sentence
                + ". Mend it and start again with the same directories: the run goes on where it"
                + " stopped.\n");
  }
}
