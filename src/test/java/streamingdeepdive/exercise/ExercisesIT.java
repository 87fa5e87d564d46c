package streamingdeepdive.exercise;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.window;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

/** Tests what the reader wrote, or as long as that is not there the solution; and wrong ones. */
@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class ExercisesIT {
  private static final Path FOLDER = Path.of("src/test/java/streamingdeepdive/exercise");

  private static <T> T yours(Supplier<T> yours, Supplier<T> solution) {
    try {
      return yours.get();
    } catch (NotSolvedException e) {
      System.out.println(
          e.getStackTrace()[0].getClassName() + " is not solved yet: its solution is tested.");
      return solution.get();
    }
  }

  @Test
  void slidingTotals(InMemoryStream sales) {
    Dataset<Row> rows = sales.toDF();
    Scripts.slidingTotals(
        sales,
        yours(
            () -> SlidingTotals.buildQuery(rows),
            () -> streamingdeepdive.exercise.solution.SlidingTotals.buildQuery(rows)));
  }

  @Test
  void distinctRegions(InMemoryStream sales) {
    Dataset<Row> rows = sales.toDF();
    Scripts.distinctRegions(
        sales,
        yours(
            () -> DistinctRegions.buildQuery(rows),
            () -> streamingdeepdive.exercise.solution.DistinctRegions.buildQuery(rows)));
  }

  @Test
  void sessions(InMemoryStream sales) {
    Dataset<Row> rows = sales.toDF();
    Scripts.sessions(
        sales,
        yours(
            () -> Sessions.buildQuery(rows),
            () -> streamingdeepdive.exercise.solution.Sessions.buildQuery(rows)));
  }

  @Test
  void replayedBatches(InMemoryStream sales, TestSession session) {
    String directory = session.newDirectory().resolve("output").toString();
    Dataset<Row> rows = sales.toDF();
    Scripts.replayedBatches(
        sales,
        directory,
        yours(
            () -> ReplayedBatches.buildQuery(rows, directory),
            () -> streamingdeepdive.exercise.solution.ReplayedBatches.buildQuery(rows, directory)));
  }

  @Test
  void lateSales(InMemoryStream sales) {
    Dataset<Row> rows = sales.toDF();
    Scripts.lateSales(
        sales,
        yours(
            () -> LateSales.buildQuery(rows),
            () -> streamingdeepdive.exercise.solution.LateSales.buildQuery(rows)));
  }

  // What a wrong solution is told.

  @Test
  void tumblingWindowsLackOneOfTheTwo(InMemoryStream sales) {
    assertThatThrownBy(
            () -> Scripts.slidingTotals(sales, WindowedAggregation.buildQuery(sales.toDF())))
        .hasMessageContaining(" => add(memory, row(at(\"12:03\"), \"eu\", 10.0))")
        .hasMessageContaining(
            "|!  |{2026-01-01 11:55:00, 2026-01-01 12:05:00}|eu    |10.0        |");
  }

  @Test
  void aCountOfSalesIsNoCountOfRegions(InMemoryStream sales) {
    Dataset<Row> counts =
        sales
            .toDF()
            .withWatermark("event_time", "10 minutes")
            .groupBy(window(col("event_time"), "5 minutes").as("window"))
            .agg(count(lit(1)).as("regions"));
    assertThatThrownBy(() -> Scripts.distinctRegions(sales, counts))
        .hasMessageContaining(" => add(memory, row(at(\"12:15\"), \"us\", 1.0))")
        .hasMessageContaining("|!  |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|3      |")
        .hasMessageContaining("|!  |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|4      |");
  }

  @Test
  void fixedWindowsAreNoSessions(InMemoryStream sales) {
    Dataset<Row> counts =
        sales
            .toDF()
            .withWatermark("event_time", "10 minutes")
            .groupBy(window(col("event_time"), "5 minutes").as("window"), col("region"))
            .agg(count(lit(1)).as("sales"));
    assertThatThrownBy(() -> Scripts.sessions(sales, counts))
        .hasMessageContaining(" => add(memory, row(at(\"12:05:30\"), \"eu\", 1.0))")
        .hasMessageContaining("state: expected 2, was 4");
  }

  @Test
  void anAppendDoublesTheRowsOfAReplay(InMemoryStream sales, TestSession session) {
    String directory = session.newDirectory().resolve("output").toString();
    VoidFunction2<Dataset<Row>, Long> append =
        (batch, batchId) -> batch.write().mode(SaveMode.Append).parquet(directory);
    assertThatThrownBy(
            () ->
                Scripts.replayedBatches(
                    sales, directory, sales.toDF().writeStream().foreachBatch(append)))
        .hasMessageContaining(" => crash(memory, row(at(\"12:02\"), \"us\", 2.0))")
        .hasMessageContaining("|!  |2026-01-01 12:02:00|us    |2.0   |");
  }

  @Test
  void notEverySaleIsLate(InMemoryStream sales) {
    assertThatThrownBy(() -> Scripts.lateSales(sales, sales.toDF()))
        .hasMessageContaining(" => add(memory, row(at(\"12:01\"), \"eu\", 1.0))")
        .hasMessageContaining("|!  |2026-01-01 12:01:00|eu    |1.0   |");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"SlidingTotals", "DistinctRegions", "Sessions", "ReplayedBatches", "LateSales"})
  void theTaskShowsItsScriptAndHasHints(String exercise) throws IOException {
    String task = Files.readString(FOLDER.resolve(exercise + ".java"));
    String script =
        task.substring(task.indexOf("<pre>{@code") + 11, task.indexOf("}</pre>"))
            .replace("\n *", "");
    String scripts = Files.readString(FOLDER.resolve("Scripts.java"));
    String hints = Files.readString(FOLDER.resolve("hints.md"));

    assertThat(squeeze(scripts)).contains(squeeze(script));
    assertThat(hints.split("\n## ")).anyMatch(hint -> isHintFor(exercise, hint));
  }

  private static boolean isHintFor(String exercise, String hint) {
    return hint.startsWith("`" + exercise + "`") && hint.split("<details>").length > 2;
  }

  /** Line breaks and indents are the formatter's. */
  private static String squeeze(String code) {
    return code.replaceAll("\\s+", "");
  }
}
