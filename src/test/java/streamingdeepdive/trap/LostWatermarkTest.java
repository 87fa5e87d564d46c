package streamingdeepdive.trap;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.window;
import static org.apache.spark.sql.functions.window_time;
import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.apache.spark.sql.streaming.OutputMode.Update;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.StreamingExtension;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class LostWatermarkTest {
  static Stream<Named<UnaryOperator<Dataset<Row>>>> mistakes() {
    return Stream.of(
        Named.of("cast", LostWatermark::buildQueryOnCast),
        Named.of("earlier column", LostWatermark::buildQueryOnEarlierColumn),
        Named.of("marked first", LostWatermark::buildQueryOnMarkedFirst));
  }

  static Stream<Named<UnaryOperator<Dataset<Row>>>> cures() {
    return Stream.of(
        Named.of("column", LostWatermark::buildQuery),
        Named.of("marked last", LostWatermark::buildQueryOnMarkedLast));
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void inAppendModeTheMistakeDoesNotStart(UnaryOperator<Dataset<Row>> query, InMemoryStream sales) {
    testStream(
        query.apply(sales.toDF()),
        Append(),
        start()
            .expectFailure(
                AnalysisException.class,
                "Append output mode not supported when there are streaming aggregations on"
                    + " streaming DataFrames/DataSets without watermark"));
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void inUpdateModeItsWatermarkMovesAndNothingIsClosed(
      UnaryOperator<Dataset<Row>> query, InMemoryStream sales) {
    testStream(
        query.apply(sales.toDF()),
        Update(),
        add(sales, sale("12:01:00.5", "eu", 1.0)).watermark("11:51:00.5").state(1),
        add(sales, sale("18:00", "eu", 2.0)).watermark("17:50").state(2),
        add(sales, sale("12:02", "eu", 4.0))
            .rows(total("12:00", "12:05", "eu", 5.0))
            .dropped(0)
            .state(2));
  }

  @ParameterizedTest
  @MethodSource("cures")
  void theCureClosesItsWindows(UnaryOperator<Dataset<Row>> query, InMemoryStream sales) {
    testStream(
        query.apply(sales.toDF()),
        Append(),
        add(sales, sale("12:01", "eu", 1.0)).watermark("11:51").state(1),
        add(sales, sale("18:00", "eu", 2.0))
            .rows(total("12:00", "12:05", "eu", 1.0))
            .watermark("17:50")
            .state(1),
        add(sales, sale("12:02", "eu", 4.0)).rows().dropped(1).state(1));
  }

  /** The time of the window is computed from the marked column, and closes windows in its turn. */
  @Test
  void windowTimeKeepsTheWatermark(InMemoryStream sales) {
    Column time = window_time(col("window"));
    testStream(
        LostWatermark.buildQuery(sales.toDF())
            .groupBy(window(time, "10 minutes").as("window"), col("region"))
            .agg(sum("total_amount").as("total_amount")),
        Append(),
        add(sales, sale("12:01", "eu", 1.0), sale("12:06", "eu", 2.0)).rows(),
        add(sales, sale("18:00", "eu", 4.0)).rows(total("12:00", "12:10", "eu", 3.0)));
  }
}
