package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.octet_length;
import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.apache.spark.sql.streaming.OutputMode.Update;
import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

/** Files as they come in real life, and what each lesson makes of them. */
@ExtendWith(StreamingExtension.class)
class OddInputIT {
  /** A file, and the regions whose sale comes out of it. */
  private enum Oddity {
    EMPTY_FILE("01.json", ""),
    BLANK_LINES("02.json", "\n \n\r\n"),
    WINDOWS_LINE_ENDS("03.json", line("a") + "\r\n" + line("b") + "\r\n", "a", "b"),
    BYTE_ORDER_MARK("04.json", "\uFEFF" + line("c") + "\n", "c"),
    GZIP("05.json.gz", line("d") + "\n", "d"),
    NO_LAST_LINE_END("06.json", line("e"), "e"),
    ANY_EXTENSION("07.json.tmp", line("f") + "\n", "f"),
    UNDERSCORE("_08.json", line("x") + "\n"),
    DOT(".09.json", line("x") + "\n"),
    BEING_COPIED("11.json._COPYING_", line("x") + "\n"),
    NESTED_DIRECTORY("more/10.json", line("x") + "\n"),
    PARTITION_OF_NESTED_DIRECTORY("more/region=g/12.json", line("x") + "\n"),
    PARTITION("region=x/13.json", line("g") + "\n", "g");

    private final String name;
    private final String text;
    private final List<Row> sales;

    Oddity(String name, String text, String... regions) {
      this.name = name;
      this.text = text;
      this.sales = Arrays.stream(regions).map(OddInputIT::saleOf).toList();
    }

    void writeTo(Path directory) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      write(directory.resolve(name), name.endsWith(".gz") ? gzip(bytes) : bytes);
    }
  }

  /** The lessons' queries. Each sale comes once, so that each row is output once. */
  private enum Lesson {
    FILE_SOURCE(FileSource::buildQuery, OutputModes::update),
    WINDOWED_AGGREGATION(WindowedAggregation::buildQuery, OutputModes::update),
    SLIDING_WINDOWS(SlidingWindows::buildQuery, OutputModes::update),
    WATERMARK(Watermark::buildQuery, OutputModes::update),
    OUTPUT_MODES(Watermark::buildQueryWithoutWatermark, OutputModes::update),
    DEDUPLICATION(Deduplication::buildQuery, OutputModes::append),
    BAD_RECORDS(sales -> sales, OutputModes::append);

    private final Function<Dataset<Row>, Dataset<Row>> query;
    private final Function<Dataset<Row>, DataStreamWriter<Row>> mode;

    Lesson(
        Function<Dataset<Row>, Dataset<Row>> query,
        Function<Dataset<Row>, DataStreamWriter<Row>> mode) {
      this.query = query;
      this.mode = mode;
    }

    Dataset<Row> read(SparkSession spark, String directory) {
      return this == BAD_RECORDS
          ? BadRecords.accepted(BadRecords.read(spark, directory))
          : FileSource.read(spark, directory, 5);
    }
  }

  private Path directory;
  private String uri;

  @BeforeEach
  void newDirectory(TestSession session) {
    directory = session.newDirectory();
    uri = directory.toUri().toString();
  }

  private static String line(String region) {
    return "{\"event_time\":\"2026-01-01T12:01:00Z\",\"region\":\"%s\",\"amount\":1.0}"
        .formatted(region);
  }

  private static Row saleOf(String region) {
    return sale("12:01", region, 1.0);
  }

  private void write(String name, String line) {
    write(directory.resolve(name), (line + "\n").getBytes(StandardCharsets.UTF_8));
  }

  /** Appends; the number in the name makes the modification time. */
  private static void write(Path file, byte[] bytes) {
    try {
      Files.createDirectories(file.getParent());
      Files.write(file, bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      int number = Integer.parseInt(file.getFileName().toString().replaceAll("\\D", ""));
      Files.setLastModifiedTime(
          file, FileTime.from(Instant.parse("2026-01-01T00:00:00Z").plusSeconds(number)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] gzip(byte[] bytes) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return packed.toByteArray();
  }

  @ParameterizedTest
  @EnumSource
  void whatComesOutOfEach(Oddity oddity, SparkSession spark) {
    oddity.writeTo(directory);

    testStream(
        FileSource.read(spark, uri),
        Append(),
        start().rows(oddity.sales.toArray(Row[]::new)),
        restart().rows());
  }

  @ParameterizedTest
  @EnumSource
  void everyLessonGivesWhatItGivesForTheSalesThatComeOut(Lesson lesson, SparkSession spark)
      throws Exception {
    Arrays.stream(Oddity.values()).forEach(oddity -> oddity.writeTo(directory));
    Path doomed = directory.resolve("99.json");
    write("99.json", line("x"));
    List<Row> sales =
        Arrays.stream(Oddity.values()).flatMap(oddity -> oddity.sales.stream()).toList();
    List<Row> rows = new ArrayList<>();
    VoidFunction2<Dataset<Row>, Long> sink =
        (batch, batchId) -> {
          rows.addAll(batch.collectAsList());
          // It has been listed for a later micro-batch.
          Files.deleteIfExists(doomed);
        };

    testStream(
        lesson.mode.apply(lesson.query.apply(lesson.read(spark, uri))).foreachBatch(sink),
        start(),
        check(() -> write("03.json", line("x"))),
        restart());

    Dataset<Row> expected =
        lesson.query.apply(spark.createDataFrame(sales, StructType.fromDDL(FileSource.SCHEMA)));
    assertThat(rows).containsExactlyInAnyOrderElementsOf(expected.collectAsList());
  }

  @Test
  void aFileDeletedAfterItWasListedIsAnEmptyMicroBatch(SparkSession spark) {
    write("1.json", line("a"));
    write("2.json", line("x"));
    List<Row> rows = new ArrayList<>();
    VoidFunction2<Dataset<Row>, Long> sink =
        (batch, batchId) -> {
          rows.addAll(batch.collectAsList());
          Files.deleteIfExists(directory.resolve("2.json"));
        };

    testStream(
        OutputModes.append(FileSource.read(spark, uri)).foreachBatch(sink),
        start().microBatches(2));
    assertThat(rows).containsExactly(saleOf("a"));
  }

  @Test
  void aFileDeletedUnderItsMicroBatchFailsTheQueryAndIsThenSkipped(SparkSession spark) {
    write("1.json", line("x"));
    List<Row> rows = new ArrayList<>();
    VoidFunction2<Dataset<Row>, Long> sink =
        (batch, batchId) -> {
          Files.deleteIfExists(directory.resolve("1.json"));
          rows.addAll(batch.collectAsList());
        };

    testStream(
        OutputModes.append(FileSource.read(spark, uri)).foreachBatch(sink),
        start().expectFailure(FileNotFoundException.class, "1.json does not exist"),
        start().microBatches(1));
    assertThat(rows).isEmpty();
  }

  @Test
  void aPatternReadsNestedDirectories(SparkSession spark) {
    write("a/1.json", line("a"));
    write("b/2.json", line("b"));
    write("b/day=1/3.json", line("c"));
    write("b/archive/4.json", line("x"));

    testStream(
        FileSource.read(spark, uri + "*", 3),
        Append(),
        start().rows(saleOf("a"), saleOf("b"), saleOf("c")));
  }

  /** More than 32, which Spark lists in a job. */
  @Test
  void readsManyPartitions(SparkSession spark) {
    IntStream.range(0, 33).forEach(day -> write("day=" + day + "/1.json", line("a")));

    assertThat(FileSource.readTable(spark, uri).count()).isEqualTo(33);
  }

  @Test
  void aRejectedLineKeepsItsTextButNotItsMarkLineEndOrBrokenBytes(SparkSession spark) {
    write(directory.resolve("1.json"), "\uFEFFa\r\n \nb".getBytes(StandardCharsets.UTF_8));
    write(directory.resolve("1.json"), new byte[] {(byte) 0xE4, '\n'});

    testStream(
        BadRecords.rejected(BadRecords.read(spark, uri))
            .withColumn("bytes", octet_length(col("raw"))),
        Append(),
        start()
            .rows(
                row("a", "1.json", "not JSON", 1),
                row(" ", "1.json", "blank", 1),
                row("b\uFFFD", "1.json", "not JSON", 4)));
  }

  @Test
  void twoThousandTinyFilesAtTheFirstStart(SparkSession spark) {
    for (int i = 0; i < 2_000; i++) {
      write(i + ".json", line("r" + i % 3));
    }
    testStream(
        FileSource.buildQuery(FileSource.read(spark, uri, 2_000)),
        Update(),
        start()
            .rows(row("r0", 667L, 667.0), row("r1", 667L, 667.0), row("r2", 666L, 666.0))
            .microBatches(1));
  }
}
