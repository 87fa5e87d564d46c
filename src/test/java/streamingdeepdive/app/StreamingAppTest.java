package streamingdeepdive.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import streamingdeepdive.testkit.TestSession;

/** What the mains do on a directory of the user's, where they do not follow it for ever. */
class StreamingAppTest {
  @TempDir Path directory;

  @BeforeAll
  static void startSpark() {
    TestSession.open().close();
  }

  @BeforeEach
  void addFiles() throws Exception {
    Files.writeString(directory.resolve("a.txt"), "1\n2\n");
    Files.writeString(Files.createDirectory(directory.resolve("more")).resolve("b.txt"), "3\n");
  }

  private String run(StreamingApp.Body body) {
    CapturedOutput output =
        CapturedOutput.of(
            () ->
                assertThat(
                        CommandLineRun.execute(
                            StreamingAppTest.class,
                            "Tests the app.",
                            new String[] {"--input", directory.toString()},
                            new DirectoryOptions(),
                            body))
                    .isZero());
    assertThat(output.err()).isEmpty();
    return output.out();
  }

  @Test
  void moreInputIsInFoldersOfTheUsersDirectory() {
    run(
        app -> {
          assertThat(app.input()).isEqualTo(directory.toString());
          assertThat(app.moreInput("more")).isEqualTo(directory + "/more");
          assertThat(app.table("more")).isEqualTo(directory + "/more");
        });
  }

  @Test
  void deliveriesAreCountedWithoutTheFoldersAndTheRunEnds() {
    assertThat(
            run(
                app ->
                    app.out()
                        .deliveries(
                            Map.of(
                                "lines",
                                app.spark()
                                    .readStream()
                                    .text(app.input())
                                    .writeStream()
                                    .trigger(Trigger.AvailableNow())))))
        .isEqualToNormalizingNewlines(
            """
            == what each delivered
            +-----+-------------+------------+-------+
            |query|micro-batches|rows put out|refused|
            +-----+-------------+------------+-------+
            |lines|1            |2           |NULL   |
            +-----+-------------+------------+-------+

            """);
  }
}
