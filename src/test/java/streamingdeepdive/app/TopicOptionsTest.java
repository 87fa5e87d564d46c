package streamingdeepdive.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.KafkaStream;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

@ExtendWith(StreamingExtension.class)
@Columns("region STRING")
class TopicOptionsTest {
  @TempDir Path directory;

  private record Result(int exitCode, CapturedOutput output, List<Topic> topics) {}

  @BeforeAll
  static void startSpark() {
    TestSession.open().close();
  }

  /** A main that does nothing but remember the topic it was given. */
  private static Result run(String... args) {
    TopicOptions options = new TopicOptions();
    List<Topic> topics = new ArrayList<>();
    int[] exitCode = new int[1];
    CapturedOutput output =
        CapturedOutput.of(
            () ->
                exitCode[0] =
                    CommandLineRun.execute(
                        TopicOptionsTest.class,
                        "Tests the command line.",
                        args,
                        options,
                        app -> topics.add(options.topic())));
    return new Result(exitCode[0], output, topics);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--topic=sales", "--bootstrap-servers=x:1", "--kafka-options=file"})
  void halfOfTheOptionsIsOneSentenceAndExitCodeTwo(String option) {
    Result result = run(option);

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.output().err())
        .isEqualToIgnoringNewLines(
            "--bootstrap-servers and --topic go together; give both or none.\n");
  }

  @Test
  void aMainThatReadsFilesAndWritesToATopicNeedsBothOrNone() {
    int[] exitCode = new int[1];
    CapturedOutput output =
        CapturedOutput.of(
            () ->
                exitCode[0] =
                    CommandLineRun.execute(
                        TopicOptionsTest.class,
                        "Tests the command line.",
                        new String[] {"--input=x"},
                        new FilesToTopicOptions(),
                        app -> {}));

    assertThat(exitCode[0]).isEqualTo(2);
    assertThat(output.err())
        .isEqualToIgnoringNewLines(
            "--input goes with --bootstrap-servers and --topic; give all of them or none.\n");
  }

  @Test
  void noBrokerIsOneSentenceAndExitCodeOneWithin15Seconds() throws Exception {
    String nobody;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      nobody = "127.0.0.1:" + free.getLocalPort();
    }

    Result result =
        assertTimeoutPreemptively(
            Duration.ofSeconds(15), () -> run("--bootstrap-servers", nobody, "--topic", "sales"));

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.output().err())
        .isEqualToIgnoringNewLines(
            "No Kafka broker answers at " + nobody + "; check --bootstrap-servers.\n");
  }

  @Test
  void aMissingTopicIsOneSentenceAndExitCodeTwo(KafkaStream any) {
    String servers = any.topic().bootstrapServers();
    Result result = run("--bootstrap-servers", servers, "--topic", "no-such-topic");

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.output().err())
        .isEqualToIgnoringNewLines(
            "--topic no-such-topic does not exist on " + servers + "; create it first.\n");
  }

  @Test
  void aMissingFileOfOptionsIsOneSentenceAndExitCodeTwo(KafkaStream sales) {
    Path missing = directory.resolve("missing");
    Result result = run(args(sales, missing));

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.output().err())
        .isEqualToIgnoringNewLines("--kafka-options " + missing + " cannot be read.\n");
  }

  @Test
  void theOptionsReachTheLesson(KafkaStream sales) throws Exception {
    Result result = run(args(sales, options("maxOffsetsPerTrigger=7\nkafka.client.id=me\n")));

    assertThat(result.exitCode()).isZero();
    assertThat(result.topics())
        .singleElement()
        .satisfies(
            topic -> {
              assertThat(topic.name()).isEqualTo(sales.topic().name());
              assertThat(topic.bootstrapServers()).isEqualTo(sales.topic().bootstrapServers());
              assertThat(topic.options())
                  .containsEntry("maxOffsetsPerTrigger", "7")
                  .containsEntry("kafka.client.id", "me");
              assertThat(topic.toString()).contains("kafka.client.id").doesNotContain("me]");
            });
  }

  /** The client's own sentence would be "Invalid value open-sesame for configuration ...". */
  @ParameterizedTest
  @ValueSource(strings = {"kafka.security.protocol", "kafka.max.poll.records"})
  void aRefusedOptionIsNotPrinted(String option, KafkaStream sales) throws Exception {
    List<String> args = new ArrayList<>(List.of(args(sales, options(option + "=open-sesame\n"))));
    args.add("--verbose");

    Result result = run(args.toArray(String[]::new));

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.output().err())
        .startsWith("The brokers at " + sales.topic().bootstrapServers() + " cannot be used")
        .contains("check --bootstrap-servers and --kafka-options")
        .doesNotContain("open-sesame");
  }

  private Path options(String content) throws Exception {
    return Files.writeString(directory.resolve("kafka.properties"), content);
  }

  private static String[] args(KafkaStream sales, Path options) {
    return new String[] {
      "--bootstrap-servers", sales.topic().bootstrapServers(),
      "--topic", sales.topic().name(),
      "--kafka-options", options.toString()
    };
  }
}
