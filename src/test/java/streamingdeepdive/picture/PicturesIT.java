package streamingdeepdive.picture;

import static org.apache.spark.sql.streaming.OutputMode.Update;
import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.testkit.StreamScript.addLines;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.SlidingWindows;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.picture.SampleRun.Fate;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.Step;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.trap.UnboundedState;

/** The pictures of the README and the Javadoc are those of what the queries report. */
@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class PicturesIT {
  private static final Path SOURCES = Path.of("src/main/java/streamingdeepdive");
  private static final Duration FIVE = Duration.ofMinutes(5);
  private static final Duration TEN = Duration.ofMinutes(10);

  @Test
  void timeline(FileStream sales) throws IOException {
    SampleRun run = SampleRun.of(sales, WindowedAggregation.buildQuery(sales.toDF()), FIVE, FIVE);

    // Each late sale of the sample data is the only one of its window and region in its file.
    assertThat(run.files())
        .allSatisfy(
            file ->
                assertThat(
                        file.sales().stream().filter(sale -> sale.fate() == Fate.DROPPED).count())
                    .isEqualTo(file.dropped()));
    assertIs("lesson/doc-files/timeline.svg", Timeline.ofBands(run));
  }

  @Test
  void slidingWindows(FileStream sales) throws IOException {
    SampleRun run = SampleRun.of(sales, SlidingWindows.buildQuery(sales.toDF()), TEN, FIVE);

    assertIs("lesson/doc-files/sliding-windows.svg", Timeline.ofBars(run));
  }

  @Test
  void stateRows(FileStream first, FileStream second) throws IOException {
    assertIs(
        "trap/doc-files/state-rows.svg",
        StateRows.draw(
            stateRows(first, UnboundedState.buildQueryWithoutWatermark(first.toDF())),
            stateRows(second, UnboundedState.buildQuery(second.toDF()))));
  }

  private static List<Long> stateRows(FileStream sales, Dataset<Row> query) throws IOException {
    List<Long> rows = new ArrayList<>();
    List<Step> steps = new ArrayList<>();
    try (Stream<Path> files = Files.list(Path.of("sample-data/many-windows"))) {
      for (Path file : files.sorted().toList()) {
        steps.add(
            addLines(sales, Files.readAllLines(file).toArray(String[]::new))
                .satisfies(
                    (any, batches) ->
                        rows.add(
                            batches.get(batches.size() - 1).stateOperators()[0].numRowsTotal())));
      }
    }
    testStream(query, Update(), steps.toArray(Step[]::new));
    return rows;
  }

  private static void assertIs(String file, String picture) throws IOException {
    Path drawn = Path.of("target/pictures").resolve(file);
    Files.createDirectories(drawn.getParent());
    Files.writeString(drawn, picture);

    assertThat(picture.length()).isLessThan(40_000);
    assertThat(SOURCES.resolve(file))
        .as("If the picture was meant to change, copy %s", drawn)
        .exists()
        .content()
        .isEqualToNormalizingNewlines(picture);
  }
}
