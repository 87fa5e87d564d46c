package streamingdeepdive.app;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.sql.streaming.OutputMode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import streamingdeepdive.testkit.TestSession;

class SocketOptionsTest {
  @BeforeAll
  static void startSpark() {
    TestSession.open().close();
  }

  private static int exitCode;

  /** A main that prints lines. */
  private static CapturedOutput run(String... args) {
    SocketOptions options = new SocketOptions();
    return CapturedOutput.of(
        () ->
            exitCode =
                CommandLineRun.execute(
                    SocketOptionsTest.class,
                    "Tests the command line.",
                    args,
                    options,
                    app -> app.onSocket(options, SocketOptionsTest::printLines)));
  }

  private static void printLines(AppRun app, String host, int port) throws Exception {
    app.out()
        .steps(
            app.spark()
                .readStream()
                .format("socket")
                .option("host", host)
                .option("port", port)
                .load()
                .writeStream()
                .outputMode(OutputMode.Append()));
  }

  @Test
  void noServerIsOneSentenceAndExitCodeOne() {
    LandingSocket server = new LandingSocket();
    server.close();

    CapturedOutput output = run("--port", Integer.toString(server.port()));

    assertThat(exitCode).isEqualTo(1);
    assertThat(output.err())
        .isEqualToIgnoringNewLines(
            "No server listens at localhost:" + server.port() + "; start one there first.\n");
  }

  @Test
  void aHostWithoutAPortIsOneSentenceAndExitCodeTwo() {
    CapturedOutput output = run("--host", "localhost");

    assertThat(exitCode).isEqualTo(2);
    assertThat(output.err())
        .isEqualToIgnoringNewLines("--host goes with --port; give the port too.\n");
  }

  @Test
  void withoutOptionsTheSampleDataIsSent() {
    CapturedOutput output = run();

    assertThat(exitCode).isZero();
    assertThat(output.err()).isEmpty();
    assertThat(output.out()).contains("== 08-redelivered-too-late.json");
  }
}
