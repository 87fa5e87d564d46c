package streamingdeepdive.exercise;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.window;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

/** What a wrong solution is told. */
@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class ExercisesIT {
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
}
