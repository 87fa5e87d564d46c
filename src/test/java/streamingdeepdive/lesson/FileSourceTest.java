package streamingdeepdive.lesson;

import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.addAllAtOnce;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class FileSourceTest {
  private static final String COLUMNS = "event_time TIMESTAMP,region STRING,amount DOUBLE";
  private static final String EU =
      "{\"event_time\":\"2026-01-01T12:01:00Z\",\"region\":\"eu\",\"amount\":1.0}\n";

  @Test
  void streamAndTableHaveTheSameRowsAndTypes(SparkSession spark, FileStream sales) {
    Dataset<Row> stream = FileSource.read(spark, sales.directory());
    Row sale = sale("12:01", "eu", 1.5);

    testStream(stream, Append(), add(sales, sale).rows(sale));
    Dataset<Row> table = FileSource.readTable(spark, sales.directory());
    assertThat(table.collectAsList()).containsExactly(sale);
    assertThat(table.schema().toDDL()).isEqualTo(stream.schema().toDDL()).isEqualTo(COLUMNS);
  }

  @Test
  void takesOneFilePerMicroBatch(SparkSession spark, FileStream sales) {
    testStream(
        FileSource.read(spark, sales.directory()),
        Append(),
        addAllAtOnce(sales, sale("12:01", "eu", 1.0), sale("12:02", "eu", 2.0)).microBatches(2));
  }

  @Test
  void takesAsManyFilesPerMicroBatchAsIsSaid(SparkSession spark, FileStream sales) {
    testStream(
        FileSource.read(spark, sales.directory(), 2),
        Append(),
        addAllAtOnce(
                sales, sale("12:01", "eu", 1.0), sale("12:02", "eu", 2.0), sale("12:03", "eu", 3.0))
            .microBatches(2));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1})
  void refusesANumberOfFilesThatSparkWouldRefuseAfterTheStart(int files, SparkSession spark) {
    assertThatThrownBy(() -> FileSource.read(spark, "anywhere", files))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("filesPerTrigger is " + files + "; name a number of files, 1 or more");
  }

  @Test
  void aTimeWithoutAZoneIsUtcInEverySessionZone(SparkSession spark, FileStream sales) {
    spark.conf().set("spark.sql.session.timeZone", "America/New_York");
    sales.addLines("{\"event_time\":\"2026-01-01T12:01:00\",\"region\":\"eu\",\"amount\":1.0}");

    testStream(
        FileSource.read(spark, sales.directory()),
        Append(),
        start().rows(sale("12:01", "eu", 1.0)));
    assertThat(FileSource.readTable(spark, sales.directory()).collectAsList())
        .containsExactly(sale("12:01", "eu", 1.0));
  }

  @Test
  void whatIsAppendedToAFileLaterIsNeverRead(SparkSession spark, FileStream sales) {
    testStream(
        FileSource.read(spark, sales.directory()),
        Append(),
        add(sales, sale("12:01", "eu", 1.0)).rows(sale("12:01", "eu", 1.0)),
        check(() -> append(sales, "000000.json", "{\"region\":\"us\",\"amount\":2.0}\n")),
        add(sales, sale("12:03", "ap", 3.0)).rows(sale("12:03", "ap", 3.0)),
        restart().rows());
  }

  /** The file was listed with the first one, and is read in the next micro-batch. */
  @Test
  void whatIsAppendedBeforeItsMicroBatchIsRead(SparkSession spark, FileStream sales) {
    sales.addData(List.of(sale("12:01", "eu", 1.0)));
    sales.addData(List.of(sale("12:02", "eu", 2.0)));
    List<List<Row>> batches = new ArrayList<>();
    VoidFunction2<Dataset<Row>, Long> sink =
        (batch, batchId) -> {
          batches.add(batch.collectAsList());
          if (batchId == 0) {
            append(sales, "000001.json", "{\"region\":\"us\",\"amount\":4.0}\n");
          }
        };

    testStream(
        FileSource.read(spark, sales.directory()).writeStream().foreachBatch(sink),
        start().microBatches(2));
    assertThat(batches.get(1)).containsExactly(sale("12:02", "eu", 2.0), row(null, "us", 4.0));
  }

  @ParameterizedTest
  @ValueSource(strings = {".hidden.json", "_hidden.json"})
  void skipsHiddenNames(String name, SparkSession spark, FileStream sales) {
    append(sales, name, "{\"region\":\"us\",\"amount\":2.0}\n");

    testStream(
        FileSource.read(spark, sales.directory()),
        Append(),
        add(sales, sale("12:01", "eu", 1.0)).rows(sale("12:01", "eu", 1.0)));
  }

  @Test
  void theNameOfADirectoryGivesNeitherAColumnNorAValue(SparkSession spark, FileStream sales) {
    append(sales, "region=eu/day=1/0.json", EU);
    append(sales, "region=us/0.json", EU);

    Dataset<Row> stream = FileSource.read(spark, sales.directory());
    testStream(stream, Append(), start().rows(sale("12:01", "eu", 1.0), sale("12:01", "eu", 1.0)));
    assertThat(stream.schema().toDDL()).isEqualTo(COLUMNS);
    assertThat(FileSource.readTable(spark, sales.directory()).collectAsList())
        .containsExactly(sale("12:01", "eu", 1.0), sale("12:01", "eu", 1.0));
  }

  @ParameterizedTest
  @ValueSource(strings = {"archive/day=1", "day=1/archive"})
  void doesNotReadNestedDirectoriesWhateverTheyHold(
      String nested, SparkSession spark, FileStream sales) {
    append(sales, "first/day=1/0.json", EU);
    testStream(
        FileSource.read(spark, sales.directory()),
        Append(),
        add(sales, sale("12:01", "eu", 1.0)).rows(sale("12:01", "eu", 1.0)),
        check(() -> append(sales, nested + "/0.json", EU)),
        add(sales, sale("12:02", "eu", 2.0)).rows(sale("12:02", "eu", 2.0)),
        restart().rows());
    assertThat(FileSource.readTable(spark, sales.directory()).count()).isEqualTo(2);
  }

  @Test
  void aFileWithATimeInTheFutureHidesNoOther(SparkSession spark, FileStream sales) {
    testStream(
        FileSource.read(spark, sales.directory()),
        Append(),
        check(() -> append(sales, "new.json", EU)),
        check(() -> setYear(sales, "new.json", 2036)),
        start().rows(sale("12:01", "eu", 1.0)),
        add(sales, sale("12:02", "eu", 2.0)).rows(sale("12:02", "eu", 2.0)),
        restart(),
        check(() -> append(sales, "old.json", EU)),
        check(() -> setYear(sales, "old.json", 1970)),
        add(sales, sale("12:03", "eu", 3.0))
            .rows(sale("12:01", "eu", 1.0), sale("12:03", "eu", 3.0)));
  }

  /** A sink that looks at the checkpoint refuses that: see ParquetSinkGuardsIT. */
  @Test
  void readsEveryFileAgainFromADirectoryThatWasRenamed(
      SparkSession spark, FileStream sales, TestSession session) throws Exception {
    append(sales, "0.json", EU);
    Path renamed = session.newDirectory().resolve("renamed");
    String checkpoint = session.newDirectory().toString();
    List<Row> rows = new ArrayList<>();
    VoidFunction2<Dataset<Row>, Long> sink = (batch, id) -> rows.addAll(batch.collectAsList());
    for (String directory : List.of(sales.directory(), renamed.toUri().toString())) {
      StreamingQuery query =
          FileSource.read(spark, directory)
              .writeStream()
              .foreachBatch(sink)
              .option("checkpointLocation", checkpoint)
              .trigger(Trigger.AvailableNow())
              .start();
      query.awaitTermination();
      Files.move(Path.of(URI.create(directory)), renamed);
    }
    assertThat(rows).containsExactly(sale("12:01", "eu", 1.0), sale("12:01", "eu", 1.0));
  }

  @Test
  void aLineThatIsNotJsonIsARowOfNulls(SparkSession spark, FileStream sales) {
    sales.addLines("{\"event_time\":\"2026-01-01T12:0");

    testStream(
        FileSource.read(spark, sales.directory()), Append(), start().rows(row(null, null, null)));
  }

  private static void append(FileStream sales, String name, String line) {
    try {
      Path file = path(sales, name);
      Files.createDirectories(file.getParent());
      Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void setYear(FileStream sales, String name, int year) {
    long time = Instant.parse(year + "-01-02T00:00:00Z").toEpochMilli();
    assertThat(path(sales, name).toFile().setLastModified(time)).isTrue();
  }

  private static Path path(FileStream sales, String name) {
    return Path.of(URI.create(sales.directory())).resolve(name);
  }
}
