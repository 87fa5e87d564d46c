package streamingdeepdive.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.deploy.SparkSubmit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import streamingdeepdive.MainOutput;
import streamingdeepdive.lesson.Deduplication;
import streamingdeepdive.lesson.KafkaSource;
import streamingdeepdive.lesson.ParquetSink;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.testkit.TestSession;

/** What is promised of every main, seen from outside its process. */
class MainProcessIT {
  private static final int SIGTERM = 128 + 15;
  private static final List<String> REGIONS =
      IntStream.range(10, 18).mapToObj(i -> "r" + i).toList();

  /** If a signal comes at a bad moment, a library may leave a file of its own. */
  private static final Predicate<Path> OURS =
      file -> file.getFileName().toString().matches("(streaming-deep-dive|local-spark)-.*");

  @TempDir Path place;

  @Test
  void replaysToItsEndAndLeavesNothingBehind() throws Exception {
    try (ChildJvm main = ChildJvm.start(List.of(), place, WindowedAggregation.class)) {
      String out = main.awaitOut();

      assertThat(main.awaitExitCode()).isZero();
      assertThat(main.err()).isEmpty();
      assertThat(out).isEqualTo(MainOutput.whole(WindowedAggregation.class));
      assertThat(main.temporaryFiles()).isEmpty();
      assertThat(filesIn(place.resolve("work"))).isEmpty();
    }
  }

  /** None of these gets as far as a session. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --inptu=x | Unknown: --inptu=x. Usage: WindowedAggregation [--input ... --checkpoint ...]; without options it replays the sample data.
          --input=x | Missing: --checkpoint. Usage: WindowedAggregation [--input ... --checkpoint ...]; without options it replays the sample data.
          ''        | On spark://nohost:7077 name places that all executors reach. Usage: WindowedAggregation [--input ... --checkpoint ...]; without options it replays the sample data.
          """)
  void exitsWithTwoAndOneSentenceOnAWrongCommandLine(String args, String sentence)
      throws Exception {
    List<String> flags = List.of("-Dspark.master=spark://nohost:7077");
    String[] arguments = args.isEmpty() ? new String[0] : new String[] {args};
    try (ChildJvm main = ChildJvm.start(flags, place, WindowedAggregation.class, arguments)) {
      assertThat(main.awaitExitCode()).isEqualTo(2);
      assertThat(main.err()).isEqualToIgnoringNewLines(sentence + "\n");
    }
  }

  @Test
  void aMistakeOfTheUserIsOneSentenceAndExitCodeOne() throws Exception {
    String checkpoint = directory("checkpoint");
    try (ChildJvm main =
        ChildJvm.start(
            ChildJvm.QUICK,
            place,
            Deduplication.class,
            "--input=" + place.resolve("nowhere"),
            "--checkpoint=" + checkpoint)) {
      assertThat(main.awaitExitCode()).isEqualTo(1);
      assertThat(main.err())
          .isEqualToIgnoringNewLines(
              "[PATH_NOT_FOUND] Path does not exist: " + place.resolve("nowhere") + ".\n");
      assertThat(main.temporaryFiles()).isEmpty();
    }
    Files.createDirectories(place.resolve("checkpoint"));
    Files.writeString(place.resolve("checkpoint/program"), "WindowedAggregation");
    try (ChildJvm main =
        ChildJvm.start(
            ChildJvm.QUICK,
            place,
            Deduplication.class,
            "--input=" + landSales().uri(),
            "--checkpoint=" + checkpoint)) {
      assertThat(main.awaitExitCode()).isEqualTo(1);
      assertThat(main.err())
          .isEqualToIgnoringNewLines(
              "The directory file:"
                  + checkpoint
                  + " holds the checkpoints of WindowedAggregation. Give Deduplication a directory"
                  + " of its own.\n");
    }
  }

  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "Windows has no SIGTERM")
  void sigtermEndsAnIdleMainAndTheNextStartGoesOn() throws Exception {
    String[] args = {"--input", landSales().uri(), "--checkpoint", directory("checkpoint")};

    String first = runUntil("== micro-batch 2,", 1, WindowedAggregation.class, args);
    String second = runUntil("|r17 ", 1, WindowedAggregation.class, args);

    assertThat(first)
        .startsWith(
            "Adds up sales per five minutes and region.\n\n== micro-batch 0, rows read 2\n+------");
    assertThat(printedRegions(first + second)).containsAll(REGIONS);
    assertThat(printedRegions(second)).doesNotContain("r10");
  }

  /** The file that lands in between is one micro-batch of either query in the second run. */
  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "Windows has no SIGTERM")
  void sigtermEndsASinkOfItsOwnTooAndTheNextStartGoesOn() throws Exception {
    DirectoryFeed input = landSales();
    String[] args = {
      "--input", input.uri(),
      "--output", directory("output"),
      "--checkpoint", directory("checkpoint")
    };

    runUntil("== micro-batch 2,", 1, ParquetSink.class, args);
    input.land("more.json", sale("r18"));
    runUntil("state rows 9", 2, ParquetSink.class, args);

    try (TestSession session = TestSession.open()) {
      assertThat(ParquetSink.latest(session.spark(), directory("output/latest")).collectAsList())
          .allMatch(total -> total.getDouble(2) == 1.0)
          .extracting(total -> total.getString(1))
          .hasSize(9)
          .containsAll(REGIONS);
    }
  }

  @ParameterizedTest
  @ValueSource(classes = {EndlessMicroBatch.class, EndlessMicroBatch.Submitted.class})
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "Windows has no SIGTERM")
  void sigtermEndsAMicroBatchThatNeverEnds(Class<?> main) throws Exception {
    List<String> flags = new ArrayList<>(ChildJvm.QUICK);
    flags.add(ChildJvm.LOGGING_OF_A_MAIN);
    flags.add("-Dspark.master=local[2]");
    try (ChildJvm child = ChildJvm.start(flags, place, main)) {
      child.awaitLine("in the micro-batch");
      child.terminate();

      assertThat(child.awaitExitCode()).isEqualTo(SIGTERM);
      assertThat(child.err()).isEmpty();
      assertThat(child.temporaryFiles()).noneMatch(OURS);
    }
  }

  private String directory(String name) {
    return place.resolve(name).toString();
  }

  /** Lands a sale of each region, with a line after it that is not JSON. */
  private DirectoryFeed landSales() {
    DirectoryFeed input = new DirectoryFeed(place.resolve("input"));
    REGIONS.forEach(region -> input.land(region + ".json", sale(region) + "half a line\n"));
    return input;
  }

  private static String sale(String region) {
    return "{\"event_time\":\"2026-01-01T12:00:00Z\",\"region\":\"%s\",\"amount\":1.0}\n"
        .formatted(region);
  }

  /** Runs the main until it has printed a text so many times, then ends it with SIGTERM. */
  private String runUntil(String text, int times, Class<?> lesson, String... args)
      throws Exception {
    try (ChildJvm main = ChildJvm.start(ChildJvm.QUICK, place, lesson, args)) {
      for (int i = 0; i < times; i++) {
        main.awaitLine(text);
      }
      assertListensOnTheLoopbackInterfaceOnly(main);
      main.terminate();
      String out = main.awaitOut();

      assertThat(main.awaitExitCode()).isEqualTo(SIGTERM);
      assertThat(main.err()).isEmpty();
      assertThat(main.temporaryFiles()).noneMatch(OURS);
      return out;
    }
  }

  private static void assertListensOnTheLoopbackInterfaceOnly(ChildJvm main) throws IOException {
    if (OS.LINUX.isCurrentOs()) {
      assertThat(ListeningSockets.of(main.pid()))
          .isNotEmpty()
          .allMatch(socket -> socket.getAddress().isLoopbackAddress());
    }
  }

  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "Windows has no SIGTERM")
  void followsATopicOfTheUsersBrokers() throws Exception {
    try (LocalBroker broker = LocalBroker.start();
        Topic topic = Topic.create(broker.bootstrapServers(), "orders", 1)) {
      topic.land(
          null,
          null,
          List.of(
              "{\"event_time\":\"2026-01-01T12:00:00Z\",\"region\":\"mine\",\"amount\":1.0}",
              "no json"));
      String[] args = {
        "--bootstrap-servers", broker.bootstrapServers(),
        "--topic", "orders",
        "--checkpoint", directory("checkpoint")
      };
      try (ChildJvm main = ChildJvm.start(ChildJvm.QUICK, place, KafkaSource.class, args)) {
        String seen = "";
        while (!seen.contains("|mine  |1.0 ")
            || !seen.contains("|orders|0        |1     |no json")) {
          seen += main.awaitLine("") + "\n";
        }
        main.terminate();

        assertThat(main.awaitExitCode()).isEqualTo(SIGTERM);
        assertThat(main.err()).isEmpty();
        assertThat(main.temporaryFiles()).noneMatch(OURS);
      }
    }
  }

  private static List<String> printedRegions(String out) {
    return Pattern.compile("\\|(r\\d\\d) ").matcher(out).results().map(m -> m.group(1)).toList();
  }

  /** What the submitter gave wins; what they left out is that of a local run. */
  @Test
  void underSparkSubmitTheSettingsOfTheSubmitterHold() throws Exception {
    try (ChildJvm submit =
        ChildJvm.start(
            ChildJvm.QUICK,
            place,
            SparkSubmit.class,
            "--master=local[1]",
            "--conf=spark.sql.session.timeZone=Asia/Tokyo",
            "--class=" + WindowedAggregation.class.getName(),
            "spark-internal")) {
      String out = submit.awaitOut();

      assertThat(submit.awaitExitCode()).isZero();
      assertThat(out)
          .contains("|{2026-01-01 21:00:00, 2026-01-01 21:05:00}|eu    |15.0        |")
          .contains("watermark 2026-01-01 20:54:00");
      assertThat(submit.err()).doesNotContain("in stage 0.0 (TID 2)");
    }
  }

  private static List<Path> filesIn(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }
}
