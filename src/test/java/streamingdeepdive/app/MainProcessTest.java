package streamingdeepdive.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.deploy.SparkSubmit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import streamingdeepdive.MainOutput;
import streamingdeepdive.lesson.KafkaSource;
import streamingdeepdive.lesson.ParquetSink;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.testkit.TestSession;

/** What is promised of every main, seen from outside its process. */
@Tag("jvm")
class MainProcessTest {
  private static final List<String> REGIONS =
      IntStream.range(10, 18).mapToObj(i -> "r" + i).toList();

  @TempDir Path place;

  @Test
  void replaysToItsEndAndLeavesNothingBehind() throws Exception {
    copySample("01-on-time.json");
    try (ChildJvm main = ChildJvm.start(List.of(), place, WindowedAggregation.class)) {
      String out = main.awaitOut();

      assertThat(main.awaitExitCode()).isZero();
      assertThat(main.err()).isEmpty();
      String documented = MainOutput.whole(WindowedAggregation.class);
      assertThat(out).isEqualTo(documented.substring(0, documented.indexOf("== 02")));
      assertThat(main.temporaryFiles()).isEmpty();
      assertThat(filesIn(place.resolve("work"))).containsExactly(place.resolve("work/sample-data"));
    }
  }

  @Test
  void exitsWithTwoAndOneSentenceOnAWrongCommandLine() throws Exception {
    try (ChildJvm main = ChildJvm.start(List.of(), place, WindowedAggregation.class, "--inptu=x")) {
      assertThat(main.awaitExitCode()).isEqualTo(2);
      assertThat(main.err())
          .isEqualTo(
              "Unknown option: '--inptu=x'; --help lists what is possible."
                  + System.lineSeparator());
    }
  }

  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "Windows has no SIGTERM")
  void sigtermLetsTheMicroBatchFinishAndTheNextStartGoesOn() throws Exception {
    String[] args = {"--input", landSales(), "--checkpoint", directory("checkpoint")};

    String first = runUntil("== micro-batch 2,", WindowedAggregation.class, args);
    String second = runUntil("|r17 ", WindowedAggregation.class, args);

    assertThat(first).endsWith("late 0\n\n");
    assertThat(printedRegions(first)).isNotEmpty().doesNotContain("r17");
    assertThat(first)
        .startsWith(
            "== micro-batch 0, rows read 2\nlines set aside 1, in r10.json: not JSON\n+------");
    assertThat(printedRegions(first + second)).isEqualTo(REGIONS);
  }

  /** A file is a micro-batch: a no-data micro-batch waits until all are read. */
  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "Windows has no SIGTERM")
  void sigtermEndsASinkOfItsOwnTooAndTheNextStartGoesOn() throws Exception {
    String[] args = {
      "--input",
      landSales(),
      "--output",
      directory("output"),
      "--checkpoint",
      directory("checkpoint")
    };

    runUntil("latest, micro-batch 2,", ParquetSink.class, args);
    runUntil("latest, micro-batch 7,", ParquetSink.class, args);

    try (TestSession session = TestSession.open()) {
      assertThat(ParquetSink.latest(session.spark(), directory("output/latest")).collectAsList())
          .allMatch(total -> total.getDouble(2) == 1.0)
          .extracting(total -> total.getString(1))
          .containsExactlyInAnyOrderElementsOf(REGIONS);
    }
  }

  private String directory(String name) {
    return place.resolve(name).toString();
  }

  /** Lands a sale of each region, with a bad line after it. */
  private String landSales() {
    DirectoryFeed input = new DirectoryFeed(place.resolve("input"));
    for (String region : REGIONS) {
      input.land(
          region + ".json",
          "{\"event_time\":\"2026-01-01T12:00:00Z\",\"region\":\"%s\",\"amount\":1.0}\nhalf a line\n"
              .formatted(region));
    }
    return input.uri();
  }

  /** Runs the main until it has printed a text, then ends it with SIGTERM. */
  private String runUntil(String text, Class<?> lesson, String... args) throws Exception {
    try (ChildJvm main = ChildJvm.start(ChildJvm.QUICK, place, lesson, args)) {
      main.awaitLine(text);
      main.terminate();
      String out = main.awaitOut();

      assertThat(main.awaitExitCode()).isEqualTo(128 + 15);
      assertThat(main.err()).isEmpty();
      assertThat(out).as("the last micro-batch is printed to its end").endsWith("\n\n");
      assertThat(main.temporaryFiles()).isEmpty();
      return out;
    }
  }

  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "Windows has no SIGTERM")
  void followsATopicOfTheUsersBrokers() throws Exception {
    try (LocalBroker broker = LocalBroker.start();
        Topic topic = Topic.create(broker.bootstrapServers(), "orders")) {
      topic.land(
          List.of(
              "{\"event_time\":\"2026-01-01T12:00:00Z\",\"region\":\"mine\",\"amount\":1.0}",
              "no json"));
      String[] args = {"--bootstrap-servers", broker.bootstrapServers(), "--topic", "orders"};
      try (ChildJvm main = ChildJvm.start(ChildJvm.QUICK, place, KafkaSource.class, args)) {
        String seen = "";
        while (!seen.contains("|mine  |1.0 ")
            || !seen.contains("|orders|0        |1     |no json|")) {
          seen += main.awaitLine("") + "\n";
        }
        main.terminate();

        assertThat(main.awaitExitCode()).isEqualTo(128 + 15);
        assertThat(main.err()).isEmpty();
        assertThat(main.temporaryFiles()).isEmpty();
      }
    }
  }

  private static List<String> printedRegions(String out) {
    return Pattern.compile("\\|(r\\d\\d) ").matcher(out).results().map(m -> m.group(1)).toList();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void listensOnTheLoopbackInterfaceOnlyEvenWithTheUi() throws Exception {
    String input = new DirectoryFeed(place.resolve("input")).uri();
    try (ChildJvm main =
        ChildJvm.start(
            ChildJvm.QUICK, place, WindowedAggregation.class, "--ui", "--input", input)) {
      String line = main.awaitLine("Spark UI at ");
      int uiPort = URI.create(line.substring("Spark UI at ".length())).getPort();

      assertThat(ListeningSockets.of(main.pid()))
          .allMatch(socket -> socket.getAddress().isLoopbackAddress())
          .extracting(InetSocketAddress::getPort)
          .contains(uiPort);
    }
  }

  /** The session is that of spark-submit, down to the time zone that the table is printed in. */
  @Test
  void underSparkSubmitTheSettingsOfTheClusterHold() throws Exception {
    copySample("01-on-time.json");
    try (ChildJvm submit =
        ChildJvm.start(
            ChildJvm.QUICK,
            place,
            SparkSubmit.class,
            "--master=local[1]",
            "--conf=spark.sql.session.timeZone=Asia/Tokyo",
            "--conf=spark.ui.enabled=false",
            "--conf=spark.sql.shuffle.partitions=1",
            "--class=" + WindowedAggregation.class.getName(),
            "spark-internal")) {
      String out = submit.awaitOut();

      assertThat(submit.awaitExitCode()).isZero();
      assertThat(out)
          .contains("|{2026-01-01 21:00:00, 2026-01-01 21:05:00}|eu    |15.0        |")
          .contains("watermark 2026-01-01 20:54:00");
    }
  }

  private void copySample(String file) throws IOException {
    Path sales = Files.createDirectories(place.resolve("work/sample-data/sales"));
    Files.copy(Path.of("sample-data/sales", file), sales.resolve(file));
  }

  private static List<Path> filesIn(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }
}
