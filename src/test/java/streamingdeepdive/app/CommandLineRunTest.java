package streamingdeepdive.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.streaming.OutputMode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
    int[] exitCode = new int[1];
    CapturedOutput output =
        CapturedOutput.of(
            () ->
                exitCode[0] =
                    CommandLineRun.execute(
                        CommandLineRunTest.class, "Tests the command line.", args, body));
    return new Result(exitCode[0], output);
  }

  private static void notReached(StreamingApp app) {
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
          --checkpoint x           | --checkpoint, --output and --trigger go with --input; the replay of the sample data has its own.
          --output x               | --checkpoint, --output and --trigger go with --input; the replay of the sample data has its own.
          """)
  void aWrongCommandLineIsOneSentenceAndExitCodeTwo(String args, String sentence) {
    Result result = run(CommandLineRunTest::notReached, args.split(" "));

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.output().out()).isEmpty();
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
  void aMissingOutputDirectoryIsOneSentenceAndExitCodeTwo() {
    Result result = run(StreamingApp::output, "--input", directory.toString());

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.output().err())
        .isEqualToIgnoringNewLines("This main writes files; say where with --output.\n");
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
  private static void dies(StreamingApp app) throws Exception {
    Dataset<Row> broken =
        app.spark()
            .readStream()
            .text(app.input())
            .select(functions.raise_error(functions.lit("the row is broken")));
    app.print(broken.writeStream().outputMode(OutputMode.Append()));
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
        .contains("StreamingQueryException", "\tat org.apache.spark");
  }

  @Test
  void aQueryThatCannotStartIsSparksSentence() {
    Result result =
        run(
            app ->
                app.print(
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
}
