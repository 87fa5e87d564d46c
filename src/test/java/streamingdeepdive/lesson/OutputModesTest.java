package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count_distinct;
import static org.apache.spark.sql.functions.row_number;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.expressions.Window;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import streamingdeepdive.app.RowCollector;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.Step;
import streamingdeepdive.testkit.StreamInput;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class OutputModesTest {
  /** Runs a script over one of the lesson's writers; rows are those that came in the step. */
  private static void script(DataStreamWriter<Row> writer, Dataset<Row> totals, Step... steps) {
    RowCollector rows = new RowCollector();
    testStream(
        writer.foreachBatch(rows::collect),
        () ->
            totals
                .sparkSession()
                .createDataFrame(
                    rows.take(Long.MAX_VALUE - 1).values().stream().flatMap(List::stream).toList(),
                    totals.schema()),
        steps);
  }

  @Test
  void appendOutputsATotalOnceWhenItIsFinal(StreamInput sales) {
    Dataset<Row> totals = WindowedAggregation.buildQuery(sales.toDF());
    script(
        OutputModes.append(totals),
        totals,
        add(sales, sale("12:01", "eu", 1.0)).rows(),
        add(sales, sale("12:04", "eu", 2.0)).rows(),
        add(sales, sale("12:15", "us", 4.0)).rows(total("12:00", "12:05", "eu", 3.0)),
        add(sales, sale("12:16", "us", 8.0)).rows(),
        // The last window waits for newer sales, however long it takes.
        add(sales, sale("12:29", "us", 16.0)).rows().state(2));
  }

  @Test
  void updateOutputsATotalWheneverARowWasAddedToIt(StreamInput sales) {
    Dataset<Row> totals = WindowedAggregation.buildQuery(sales.toDF());
    script(
        OutputModes.update(totals),
        totals,
        add(sales, sale("12:01", "eu", 1.0)).rows(total("12:00", "12:05", "eu", 1.0)),
        add(sales, sale("12:04", "eu", 2.0)).rows(total("12:00", "12:05", "eu", 3.0)),
        // The total is the same as before.
        add(sales, sale("12:04", "eu", 0.0)).rows(total("12:00", "12:05", "eu", 3.0)),
        add(sales, sale("12:15", "us", 4.0)).rows(total("12:15", "12:20", "us", 4.0)),
        add(sales, sale("12:01", "eu", 8.0)).rows().dropped(1));
  }

  @Test
  void completeOutputsEverythingAndIgnoresTheWatermark(StreamInput sales) {
    Dataset<Row> totals = WindowedAggregation.buildQuery(sales.toDF());
    script(
        OutputModes.complete(totals),
        totals,
        add(sales, sale("12:01", "eu", 1.0)).rows(total("12:00", "12:05", "eu", 1.0)).state(1),
        add(sales, sale("12:15", "us", 4.0))
            .rows(total("12:00", "12:05", "eu", 1.0), total("12:15", "12:20", "us", 4.0))
            .watermark("12:05")
            .state(2),
        add(sales, sale("12:02", "eu", 8.0))
            .rows(total("12:00", "12:05", "eu", 9.0), total("12:15", "12:20", "us", 4.0))
            .dropped(0)
            .state(2));
  }

  static Stream<Arguments> refused() {
    return Stream.of(
        refused(
            "Append output mode not supported when there are streaming aggregations on streaming"
                + " DataFrames/DataSets without watermark",
            (sales, path) ->
                OutputModes.append(Watermark.buildQueryWithoutWatermark(sales)).format("noop")),
        refused(
            "Complete output mode not supported when there are no streaming aggregations on"
                + " streaming DataFrames/Datasets",
            (sales, path) -> OutputModes.complete(sales).format("noop")),
        refused(
            "Data source parquet does not support Update output mode.",
            (sales, path) ->
                OutputModes.update(WindowedAggregation.buildQuery(sales))
                    .format("parquet")
                    .option("path", path)),
        refused(
            "Data source parquet does not support Complete output mode.",
            (sales, path) ->
                OutputModes.complete(WindowedAggregation.buildQuery(sales))
                    .format("parquet")
                    .option("path", path)),
        refused(
            "Sorting is not supported on streaming DataFrames/Datasets, unless it is on aggregated"
                + " DataFrame/Dataset in Complete output mode",
            (sales, path) ->
                OutputModes.append(WindowedAggregation.buildQuery(sales).orderBy("total_amount"))
                    .format("noop")),
        refused(
            "Limits are not supported on streaming DataFrames/Datasets in Update output mode",
            (sales, path) -> OutputModes.update(sales.limit(1)).format("noop")),
        refused(
            "Distinct aggregations are not supported on streaming DataFrames/Datasets",
            (sales, path) ->
                OutputModes.complete(sales.groupBy("region").agg(count_distinct(col("amount"))))
                    .format("noop")),
        refused(
            "NON_TIME_WINDOW_NOT_SUPPORTED_IN_STREAMING",
            (sales, path) ->
                OutputModes.append(
                        sales.withColumn(
                            "rank",
                            row_number().over(Window.partitionBy("region").orderBy("event_time"))))
                    .format("noop")));
  }

  private static Arguments refused(
      String message, BiFunction<Dataset<Row>, String, DataStreamWriter<Row>> writer) {
    return Arguments.of(message, writer);
  }

  @ParameterizedTest
  @MethodSource("refused")
  void whatCannotWorkFailsAtTheStart(
      String message,
      BiFunction<Dataset<Row>, String, DataStreamWriter<Row>> writer,
      TestSession session,
      InMemoryStream sales) {
    String path = session.newDirectory().resolve("output").toString();

    testStream(
        writer.apply(sales.toDF(), path), start().expectFailure(AnalysisException.class, message));
  }
}
