package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.lit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.crash;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.apache.commons.io.FileUtils;
import org.apache.hadoop.fs.FileUtil;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.recovery.DeltaContext;
import streamingdeepdive.recovery.HookedFileSystem;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

@ExtendWith({DeltaContext.class, StreamingExtension.class})
@Columns(FileSource.SCHEMA)
class DeltaSinkIT {
  private SparkSession delta;

  private Path place;
  private String output;

  @BeforeEach
  void nameOutput(TestSession session) {
    delta = session.spark();
    place = session.newDirectory();
    output = in("output");
  }

  private String in(String name) {
    return "file:" + place.resolve(name);
  }

  private Dataset<Row> totals(FileStream sales) {
    return WindowedAggregation.buildQuery(FileSource.read(delta, sales.directory(), 1));
  }

  private Function<String, DataStreamWriter<Row>> finals(FileStream sales) {
    return checkpoint -> DeltaSink.buildQuery(totals(sales), output, checkpoint);
  }

  private Function<String, DataStreamWriter<Row>> newest(FileStream sales) {
    return checkpoint -> DeltaSink.buildUpdateQuery(totals(sales), output, checkpoint);
  }

  private Dataset<Row> read() {
    return DeltaSink.read(delta, output);
  }

  private long versions() {
    return DeltaSink.history(delta, output).count();
  }

  /** The replayed micro-batch is passed over, so its event times do not move the watermark. */
  @Test
  void aTotalIsAppendedOnceWhenItIsFinal(FileStream sales) {
    testStream(
        finals(sales),
        this::read,
        start().rows(),
        add(sales, sale("12:01", "eu", 1.0), sale("12:02", null, 2.0)).rows().watermark("11:52"),
        crash(sales, sale("12:15", "eu", 4.0)).rows().watermark("11:52"),
        add(sales, sale("12:15", "eu", 8.0))
            .rows(total("12:00", "12:05", "eu", 1.0), total("12:00", "12:05", null, 2.0))
            .watermark("12:05"),
        crash().rows(total("12:00", "12:05", "eu", 1.0), total("12:00", "12:05", null, 2.0)),
        restart(),
        add(sales, sale("12:30", "eu", 16.0), sale("12:04", "eu", 32.0))
            .rows(
                total("12:00", "12:05", "eu", 1.0),
                total("12:00", "12:05", null, 2.0),
                total("12:15", "12:20", "eu", 12.0))
            .dropped(1));
  }

  /**
   * Here it moves the watermark: it is computed, and not written. The directory's name is neither a
   * pattern nor the number of a version.
   */
  @Test
  void aTotalThatChangesReplacesItsRow(FileStream sales) {
    output = in("out[1]@v1");
    testStream(
        newest(sales),
        this::read,
        start().rows(),
        add(sales, sale("12:01", "eu", 1.0), sale("12:02", null, 2.0))
            .rows(total("12:00", "12:05", "eu", 1.0), total("12:00", "12:05", null, 2.0)),
        check(() -> assertThat(versions()).isEqualTo(2)),
        crash().rows(total("12:00", "12:05", "eu", 1.0), total("12:00", "12:05", null, 2.0)),
        check(() -> assertThat(versions()).isEqualTo(2)),
        crash(sales, sale("12:15", "eu", 4.0), sale("12:02", null, null))
            .rows(
                total("12:00", "12:05", "eu", 1.0),
                total("12:00", "12:05", null, 2.0),
                total("12:15", "12:20", "eu", 4.0))
            .watermark("12:05"),
        check(() -> assertThat(versions()).isEqualTo(3)),
        restart(),
        add(sales, sale("12:06", "us", null), sale("12:04", "eu", 32.0))
            .rows(
                total("12:00", "12:05", "eu", 1.0),
                total("12:00", "12:05", null, 2.0),
                total("12:05", "12:10", "us", null),
                total("12:15", "12:20", "eu", 4.0))
            .dropped(1),
        check(
            () ->
                assertThat(DeltaSink.readVersion(delta, output, 2).collectAsList())
                    .containsExactlyInAnyOrder(
                        total("12:00", "12:05", "eu", 1.0),
                        total("12:00", "12:05", null, 2.0),
                        total("12:15", "12:20", "eu", 4.0))));
    assertThat(delta.conf().getAll().mkString()).doesNotContain("txn");
  }

  /** It reads before each file that the driver changes; tasks write beside it. */
  @Test
  void aReaderSeesWholeVersions(FileStream sales) {
    delta
        .sparkContext()
        .conf()
        .set("spark.delta.logStore.hooked.impl", "io.delta.storage.LocalLogStore");
    output = HookedFileSystem.in(delta, place.resolve("output"));
    List<List<Double>> seen = new ArrayList<>();
    testStream(
        newest(sales),
        this::read,
        add(sales, sale("12:01", "eu", 1.0), sale("12:01", "us", 1.0)),
        check(
            () ->
                HookedFileSystem.setHook(
                    (change, path) -> {
                      if (TaskContext.get() == null) {
                        seen.add(amounts());
                      }
                    })),
        add(sales, sale("12:01", "eu", 1.0), sale("12:01", "us", 1.0)),
        check(HookedFileSystem::removeHook),
        add(sales, sale("12:01", "eu", 1.0))
            .rows(total("12:00", "12:05", "eu", 3.0), total("12:00", "12:05", "us", 2.0)));

    assertThat(seen)
        .startsWith(List.of(1.0, 1.0))
        .containsOnly(List.of(1.0, 1.0), List.of(2.0, 2.0));
  }

  @AfterEach
  void removeHook() {
    HookedFileSystem.removeHook();
  }

  private List<Double> amounts() {
    return read().collectAsList().stream().map(row -> row.getDouble(2)).toList();
  }

  @Test
  void theDeltaSinkDoesNotTakeUpdates(FileStream sales) {
    testStream(
        OutputModes.update(totals(sales)).format("delta").option("path", output),
        start()
            .expectFailure(
                AnalysisException.class, "DeltaDataSource does not support Update output mode"));
  }

  @Test
  void withoutTheSettingsThereIsNoQuery(FileStream sales) {
    delta.conf().unset("spark.sql.catalog.spark_catalog");
    assertThatThrownBy(
            () ->
                DeltaSink.buildQuery(
                    WindowedAggregation.buildQuery(sales.toDF()), output, in("checkpoint")))
        .hasMessageContaining("DELTA_CONFIGURE_SPARK_SESSION_WITH_EXTENSION_AND_CATALOG");
  }

  private void run(DataStreamWriter<Row> writer) throws Exception {
    StreamingQuery query = writer.trigger(Trigger.AvailableNow()).start();
    query.awaitTermination();
  }

  private void assertRefused(FileStream sales, String checkpoint, String sentence) {
    for (boolean update : List.of(false, true)) {
      assertThatThrownBy(
              () -> {
                if (update) {
                  DeltaSink.buildUpdateQuery(totals(sales), output, in(checkpoint));
                } else {
                  DeltaSink.buildQuery(totals(sales), output, in(checkpoint));
                }
              })
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(sentence.replace("OUTPUT", output).replace("CHECKPOINT", in(checkpoint)));
    }
  }

  /** What Delta does without the guard, and what the guard says. */
  @Test
  void aLostCheckpoint(FileStream sales) throws Exception {
    sales.addData(List.of(sale("12:01", "eu", 1.0)));
    sales.addData(List.of(sale("12:15", "eu", 1.0)));
    sales.addData(List.of(sale("12:15", "eu", 1.0)));
    run(DeltaSink.buildQuery(totals(sales), output, in("checkpoint")));
    assertThat(read().collectAsList()).containsExactly(total("12:00", "12:05", "eu", 1.0));

    assertRefused(
        sales,
        "another",
        "The output directory OUTPUT was written from another checkpoint location than CHECKPOINT, and its rows would"
            + " come a second time. Start on the checkpoint that wrote it, or give the query a new"
            + " output.");
    run(
        totals(sales)
            .writeStream()
            .format("delta")
            .option("path", output)
            .option("checkpointLocation", in("another")));
    assertThat(read().collectAsList())
        .containsExactly(total("12:00", "12:05", "eu", 1.0), total("12:00", "12:05", "eu", 1.0));
    assertRefused(
        sales,
        "checkpoint",
        "The output directory OUTPUT was written from another checkpoint location than CHECKPOINT, and its rows would"
            + " come a second time. Start on the checkpoint that wrote it, or give the query a new"
            + " output.");
  }

  @Test
  void aTableThatIsGoneOrNewerThanTheCheckpoint(FileStream sales) throws Exception {
    sales.addData(List.of(sale("12:01", "eu", 1.0)));
    run(DeltaSink.buildUpdateQuery(totals(sales), output, in("checkpoint")));
    FileUtils.copyDirectory(place.resolve("checkpoint").toFile(), place.resolve("backup").toFile());
    sales.addData(List.of(sale("12:02", "eu", 1.0)));
    run(DeltaSink.buildUpdateQuery(totals(sales), output, in("checkpoint")));

    assertRefused(
        sales,
        "backup",
        "The output directory OUTPUT is ahead of the checkpoint location CHECKPOINT: it has"
            + " micro-batches up to 2, which Delta would pass over without a word. Start on the"
            + " checkpoint that wrote it, as it is now, or give the query a new output.");
    FileUtil.fullyDelete(place.resolve("output").toFile());
    assertRefused(
        sales,
        "checkpoint",
        "The output directory OUTPUT lacks what was written from the checkpoint location CHECKPOINT,"
            + " micro-batches 0 to 3. Restore the output, or start anew with a new checkpoint and a"
            + " new output.");
  }

  /** Each would be lost: rows of one key would replace one another. */
  @Test
  void totalsOfOtherColumnsAreRefused(FileStream sales) {
    Dataset<Row> perCurrency = totals(sales).withColumn("currency", lit("EUR"));

    assertThatThrownBy(() -> DeltaSink.buildUpdateQuery(perCurrency, output, in("checkpoint")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("but the query has [currency string, region string");
  }

  @Test
  void directoriesInsideOneAnotherAreRefused(FileStream sales) {
    for (String inside : List.of(output + "/checkpoint", sales.directory() + "/checkpoint")) {
      assertThatThrownBy(() -> DeltaSink.buildQuery(totals(sales), output, inside))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("are inside one another");
      assertThatThrownBy(() -> DeltaSink.buildUpdateQuery(totals(sales), output, inside))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void aLocaleWithOtherDigitsIsRefused(FileStream sales) {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("fa-IR"));
    try {
      assertThatThrownBy(() -> finals(sales).apply(in("checkpoint")))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "Delta names the files of its log in the digits of the default locale, fa-IR, and then"
                  + " looks for others without end; start Java with another locale, such as"
                  + " -Duser.language=en");
    } finally {
      Locale.setDefault(before);
    }
  }
}
