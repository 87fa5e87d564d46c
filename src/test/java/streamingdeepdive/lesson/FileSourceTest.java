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
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.StreamingExtension;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class FileSourceTest {
  @Test
  void streamAndTableHaveTheSameRowsAndTypes(SparkSession spark, FileStream sales) {
    Dataset<Row> stream = FileSource.read(spark, sales.directory());
    Row sale = sale("12:01", "eu", 1.5);

    testStream(stream, Append(), add(sales, sale).rows(sale));
    Dataset<Row> table = FileSource.readTable(spark, sales.directory());
    assertThat(table.collectAsList()).containsExactly(sale);
    assertThat(table.schema().toDDL())
        .isEqualTo(stream.schema().toDDL())
        .isEqualTo("event_time TIMESTAMP,region STRING,amount DOUBLE");
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
  void aLineThatIsNotJsonIsARowOfNulls(SparkSession spark, FileStream sales) {
    sales.addLines("{\"event_time\":\"2026-01-01T12:0");

    testStream(
        FileSource.read(spark, sales.directory()), Append(), start().rows(row(null, null, null)));
  }

  private static void append(FileStream sales, String name, String line) {
    try {
      Files.writeString(
          Path.of(URI.create(sales.directory())).resolve(name),
          line,
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
