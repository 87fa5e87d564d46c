package streamingdeepdive.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.JdbcSink;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

@ExtendWith(StreamingExtension.class)
@Tag("jvm")
class FilesToDatabaseOptionsTest {
  private static final Map<String, String> ENVIRONMENT = Map.of("JDBC_PASSWORD", "sesame");

  @TempDir Path directory;

  private record Result(int exitCode, CapturedOutput output, List<Database> databases) {}

  @BeforeAll
  static void startSpark() {
    TestSession.open().close();
  }

  /** A main that builds the query on the database that it was given, and does not start it. */
  private static Result run(String... args) {
    FilesToDatabaseOptions options = new FilesToDatabaseOptions();
    List<Database> databases = new ArrayList<>();
    StreamingApp.Body body =
        app -> {
          Database database = options.database(ENVIRONMENT);
          databases.add(database);
          Dataset<Row> totals =
              WindowedAggregation.buildQuery(FileSource.read(app.spark(), app.input()));
          JdbcSink.buildQuery(totals, database.options(), database.table(), app.checkpoint(""));
        };
    int[] exitCode = new int[1];
    CapturedOutput output =
        CapturedOutput.of(
            () ->
                exitCode[0] =
                    CommandLineRun.execute(
                        FilesToDatabaseOptionsTest.class,
                        "Tests the command line.",
                        args,
                        options,
                        body));
    return new Result(exitCode[0], output, databases);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --url x              | --url, --checkpoint and --trigger go with --input; the replay of the sample data has its own.
          --input x --url y    | --input needs --url and --checkpoint here: they are kept, so that the next start can go on.
          --input x --checkpoint y | --input needs --url and --checkpoint here: they are kept, so that the next start can go on.
          --user ann           | --user and --table go with --url; give the database too.
          --table sums         | --user and --table go with --url; give the database too.
          """)
  void aWrongCommandLineIsOneSentenceAndExitCodeTwo(String args, String sentence) {
    Result result = run(args.split(" "));

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.output().out()).isEmpty();
    assertThat(result.output().err()).isEqualToIgnoringNewLines(sentence + "\n");
  }

  private Result runOn(String url) {
    return run(
        "--input=" + directory,
        "--checkpoint=" + directory.resolveSibling(directory.getFileName() + "-checkpoint"),
        "--url=" + url,
        "--user=ann",
        "--table=sums");
  }

  @Test
  void theHelpNamesTheVariableOfThePassword() {
    assertThat(run("--help").output().out())
        .contains("--url=JDBC-URL", "--user=NAME", "--table=NAME", "JDBC_PASSWORD");
  }

  @Test
  void theDatabaseIsThatOfTheOptionsAndTheEnvironment() {
    String url = "jdbc:h2:mem:options";
    Result result = runOn(url);

    assertThat(result.exitCode()).isZero();
    assertThat(result.databases())
        .containsExactly(
            new Database(Map.of("url", url, "user", "ann", "password", "sesame"), "sums"));
    assertThat(result.databases().get(0).toString())
        .startsWith("sums at jdbc:h2:mem:options with ")
        .doesNotContain("sesame");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          jdbc:h2:mem:x;IFEXISTS=TRUE | Database "mem:x" not found, and IFEXISTS=true, so we cant auto-create it [90146-240]
          jdbc:nodb:x                 | There is no JDBC driver for jdbc:nodb:x; add its jar to the class path, and if that is not enough, give its class as the option driver.
          """)
  void aDatabaseThatCannotBeUsedIsOneSentenceAndExitCodeOne(String url, String sentence) {
    Result result = runOn(url);

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.output().err()).isEqualToIgnoringNewLines(sentence + "\n");
  }

  /** Stopped and started again, as a user does; H2 gives the table to nobody else. */
  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "Windows has no SIGTERM")
  void aMainFollowsADirectoryIntoTheUsersDatabase(SparkSession spark) throws Exception {
    Path input = Files.createDirectory(directory.resolve("input"));
    String url = "jdbc:h2:file:" + directory.resolve("database");
    for (int i = 1; i <= 2; i++) {
      Files.writeString(
          input.resolve(i + ".json"),
          "{\"event_time\":\"2026-01-01T12:01:00Z\",\"region\":\"eu\",\"amount\":%d.0}\n"
              .formatted(i));
      try (ChildJvm child =
          ChildJvm.startIn(
              Map.of("JDBC_PASSWORD", "sesame"),
              ChildJvm.QUICK,
              directory,
              JdbcSink.class,
              "--input=" + input,
              "--checkpoint=" + directory.resolve("checkpoint"),
              "--url=" + url,
              "--user=ann")) {
        child.awaitLine("rows read 1");
        child.awaitLine("watermark");
        child.terminate();
        child.awaitOut();
        assertThat(child.err()).isEmpty();
      }
    }

    Map<String, String> options = Map.of("url", url, "user", "ann", "password", "sesame");
    assertThat(JdbcSink.read(spark, options, "totals").collectAsList())
        .extracting(row -> row.getDouble(2))
        .containsExactly(3.0);
  }
}
