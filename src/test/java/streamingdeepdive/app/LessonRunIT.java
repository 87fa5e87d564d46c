package streamingdeepdive.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static streamingdeepdive.lesson.Sales.sale;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.Joins;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.testkit.TestSession;

/** Inputs of the user's own that are not as the sample data. */
class LessonRunIT {
  @TempDir Path place;

  /** The main makes a context of its own. */
  @BeforeEach
  void stopTheSessionOfOtherTests() {
    TestSession.open().spark().stop();
  }

  private static String line(String region) {
    return "{\"event_time\":\"2026-01-01T12:01:00Z\",\"region\":\"%s\",\"amount\":1.0}\n"
        .formatted(region);
  }

  private Path write(String name, byte[] content) throws IOException {
    Path file = place.resolve("in").resolve(name);
    Files.createDirectories(file.getParent());
    return Files.write(file, content);
  }

  private String[] arguments(String input) {
    return new String[] {
      "--input=" + place.resolve("in").resolve(input),
      "--regions=" + place.resolve("in").resolve(input),
      "--checkpoint=" + place.resolve("checkpoint")
    };
  }

  private LessonRun open(String input) {
    return LessonRun.open(arguments(input), "A test.", "input", "regions", "checkpoint");
  }

  /** Each is a pattern that does not match itself, or others too. */
  @ParameterizedTest
  @ValueSource(strings = {"sales[1]", "{b,c}", "a\\b", "sales*", "sales?"})
  void theNameOfAnInputIsNoPattern(String name) throws Exception {
    write(name + "/sales.json", line("eu").getBytes());
    for (String other : List.of("sales1", "b", "ab")) {
      write(other + "/sales.json", line("us").getBytes());
    }
    try (LessonRun lesson = open(name)) {
      String input = lesson.input("sales");
      List<Row> rows = new ArrayList<>();
      VoidFunction2<Dataset<Row>, Long> sink = (batch, id) -> rows.addAll(batch.collectAsList());
      StreamingQuery query =
          FileSource.read(lesson.spark(), input)
              .writeStream()
              .foreachBatch(sink)
              .option("checkpointLocation", lesson.checkpoint("sales"))
              .trigger(Trigger.AvailableNow())
              .start();
      query.awaitTermination();

      assertThat(rows).containsExactly(sale("12:01", "eu", 1.0));
      assertThat(FileSource.readTable(lesson.spark(), input).collectAsList()).isEqualTo(rows);
      assertThat(
              Joins.readRegions(lesson.spark(), lesson.table("regions"))
                  .select("region")
                  .as(Encoders.STRING())
                  .collectAsList())
          .containsExactly("eu");
    }
  }

  /** Spark would wait for one that matches. */
  @ParameterizedTest
  @ValueSource(strings = {"sales[1]", "*", "a\\b"})
  void anInputThatLooksLikeAPatternMustExist(String name) throws Exception {
    write("sales1/sales.json", line("us").getBytes());
    try (LessonRun lesson = open(name)) {
      assertThatThrownBy(() -> FileSource.read(lesson.spark(), lesson.input("sales")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("The directory " + place.resolve("in").resolve(name) + " does not exist.");
    }
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(text.getBytes());
    }
    return packed.toByteArray();
  }

  private void assertNamed(Path file, String why) {
    String[] arguments = arguments("sales");
    assertThatThrownBy(() -> WindowedAggregation.main(new String[] {arguments[0], arguments[2]}))
        .hasMessage(
            "The input [%s] cannot be read: %s. Put a whole file in its place, or rename or delete it, and start again."
                .formatted(file, why));
  }

  @Test
  void aFileThatIsCutOffIsNamed() throws Exception {
    write("sales/1.json", line("eu").getBytes());
    byte[] whole = gzip(line("eu").repeat(1000));

    assertNamed(
        write("sales/a b%20.json.gz", Arrays.copyOf(whole, whole.length / 2)),
        "Unexpected end of input stream");
  }

  @Test
  void aFileThatIsNotWhatItsNameSaysIsNamed() throws Exception {
    assertNamed(write("sales/1.json.gz", line("eu").getBytes()), "not a gzip file");
  }

  /** Hadoop looks for a checksum beside it, whose name it takes for a URI. */
  @Test
  void aFileWithAColonInItsNameIsNamed() throws Exception {
    assertNamed(
        write("sales/12:00.json", line("eu").getBytes()),
        "Relative path in absolute URI: .12:00.json.crc");
  }
}
