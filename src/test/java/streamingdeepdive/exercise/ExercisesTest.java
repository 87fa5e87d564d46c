package streamingdeepdive.exercise;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

/** Tests what the reader wrote, or as long as that is not there the solution. */
@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class ExercisesTest {
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
