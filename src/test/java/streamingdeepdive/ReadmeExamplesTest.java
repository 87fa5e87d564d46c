package streamingdeepdive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static streamingdeepdive.lesson.QueryMonitor.LATE_ROWS;
import static streamingdeepdive.lesson.QueryMonitor.STATE_ROWS;
import static streamingdeepdive.testkit.Rows.at;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.Rows.window;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.List;
import java.util.concurrent.TimeoutException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.apache.spark.sql.streaming.Trigger;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.app.CapturedOutput;
import streamingdeepdive.app.JavaRuntime;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.QueryMonitor;
import streamingdeepdive.lesson.QueryMonitor.Measure;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.recovery.QuerySignature;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

/** The code of the README, word for word. */
@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class ReadmeExamplesTest {
  @Test
  void aQueryOfTheLibraryIsImported(SparkSession spark) {
    Dataset<Row> events =
        spark.createDataFrame(
            List.of(row(at("12:20"), "eu", 1.0)), StructType.fromDDL(FileSource.SCHEMA));

    Dataset<Row> totals = WindowedAggregation.buildQuery(events, "1 hour", "15 minutes");

    assertThat(totals.collectAsList()).containsExactly(row(window("12:15", "12:30"), "eu", 1.0));
  }

  @Test
  void aQueryIsHeldToItsCheckpoint(FileStream events, TestSession session) throws Exception {
    Dataset<Row> totals = WindowedAggregation.buildQuery(events.toDF());
    String checkpoint = session.newDirectory().toString();

    QuerySignature.require(totals, OutputMode.Append(), checkpoint);
    events.addData(List.of(row(at("12:20"), "eu", 1.0)));
    StreamingQuery query =
        totals.writeStream().format("noop").option("checkpointLocation", checkpoint).start();
    query.processAllAvailable();
    query.stop();

    Dataset<Row> changed = WindowedAggregation.buildQuery(events.toDF(), "1 hour", "15 minutes");
    assertThatThrownBy(() -> QuerySignature.require(changed, OutputMode.Append(), checkpoint))
        .hasMessageContaining("belongs to another query");
  }

  @Test
  void aQueryIsWatched(SparkSession spark, FileStream events) {
    CapturedOutput output =
        CapturedOutput.of(
            () -> {
              List<Measure> measures = List.of(STATE_ROWS, LATE_ROWS.upTo(0));
              spark
                  .streams()
                  .addListener(
                      new QueryMonitor(measures, System.out::println, System.err::println));
              testStream(
                  WindowedAggregation.buildQuery(events.toDF()),
                  OutputMode.Update(),
                  add(events, row(at("12:20"), "eu", 1.0)),
                  add(events, row(at("12:04"), "eu", 2.0)).dropped(1));
            });

    assertThat(output.out()).contains("state rows 1, rows dropped as late 0");
    assertThat(output.err()).contains("rows dropped as late 1, limit 0");
  }

  /** Its session is that of all tests, which is stopped, and opened again by the next one. */
  @Test
  void aMainWithoutTheAppIsAPlainProgram(FileStream events, TestSession session) throws Exception {
    events.addData(List.of(row(at("12:01"), "eu", 10.0)));
    String input = events.directory();
    String checkpoint = session.newDirectory().toString();

    CapturedOutput output = CapturedOutput.of(() -> run(input, checkpoint));

    assertThat(output.err()).isEmpty();
    assertThat(output.out())
        .contains("Batch: 0", "|{2026-01-01 12:00...|    eu|        10.0|")
        .as("the no-data micro-batch")
        .contains("Batch: 1");
  }

  private static void run(String input, String checkpoint) {
    try {
      JavaRuntime.prepare(); // Spark needs packages of the JDK that are closed by default
      SparkSession spark =
          SparkSession.builder().master("local[2]").appName("totals").getOrCreate();
      Dataset<Row> sales = FileSource.read(spark, input);
      StreamingQuery query =
          WindowedAggregation.buildQuery(sales)
              .writeStream()
              .outputMode(OutputMode.Update())
              .format("console")
              .option("checkpointLocation", checkpoint)
              .trigger(Trigger.AvailableNow()) // takes what is there, and ends
              .start();
      query.awaitTermination();
      spark.stop();
    } catch (TimeoutException | StreamingQueryException e) {
      throw new AssertionError(e);
    }
  }
}
