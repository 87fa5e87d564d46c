package streamingdeepdive.trap;

import static org.apache.spark.sql.functions.window;
import static streamingdeepdive.testkit.Rows.at;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.Rows.window;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.stop;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.function.UnaryOperator;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.ParquetSink;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.Step;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class ChangedQueryTest {
  private SparkSession spark;
  private String output;
  private UnaryOperator<Dataset<Row>> query;

  @BeforeEach
  void startWithTotals(TestSession session) {
    spark = session.spark();
    output = session.newDirectory().resolve("output").toString();
    query = WindowedAggregation::buildQuery;
  }

  /** Two sales are added up, then the query is changed and a third one comes. */
  private void change(FileStream sales, UnaryOperator<Dataset<Row>> changed, Step third) {
    testStream(
        checkpoint ->
            ChangedQuery.buildQueryForAnyCheckpoint(query.apply(sales.toDF()), output, checkpoint),
        () -> ParquetSink.latest(spark, output),
        add(sales, sale("12:01", 2.0)).rows(total("12:00", "12:05", 2.0)),
        add(sales, sale("12:02", 3.0)).rows(total("12:00", "12:05", 5.0)),
        stop(),
        check(() -> query = changed),
        start(),
        third);
  }

  private static Row sale(String time, double amount) {
    return row(at(time), "eu", amount);
  }

  private static Row total(String start, String end, double total) {
    return row(window(start, end), "eu", total);
  }

  @Test
  void theHighestAmountIsASumThatNoSaleReached(FileStream sales) {
    change(
        sales,
        ChangedQuery::highestAmounts,
        add(sales, sale("12:03", 4.0)).rows(total("12:00", "12:05", 5.0)).state(1));
  }

  @Test
  void theCureTakesTheSameQueryOnly(FileStream sales) {
    testStream(
        checkpoint -> ChangedQuery.buildQuery(query.apply(sales.toDF()), output, checkpoint),
        () -> ParquetSink.latest(spark, output),
        add(sales, sale("12:01", 2.0)),
        restart(),
        add(sales, sale("12:02", 3.0)).rows(total("12:00", "12:05", 5.0)),
        stop(),
        check(() -> query = ChangedQuery::highestAmounts),
        start().expectFailure(IllegalStateException.class, "belongs to another query"),
        check(() -> query = WindowedAggregation::buildQuery),
        start(),
        add(sales, sale("12:03", 4.0)).rows(total("12:00", "12:05", 9.0)));
  }
}
