package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.window;
import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.apache.spark.sql.streaming.OutputMode.Complete;
import static org.apache.spark.sql.streaming.OutputMode.Update;
import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.Rows.window;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.crash;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.List;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.StreamInput;
import streamingdeepdive.testkit.StreamingExtension;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class ChainedOperatorsTest {
  static final String CORRECTNESS =
      "Detected pattern of possible 'correctness' issue due to global watermark. The query contains"
          + " stateful operation which can emit rows older than the current watermark plus allowed"
          + " late record delay, which are \"late rows\" in downstream stateful operations and these"
          + " rows can be discarded. Please refer the programming guide doc for more details. If you"
          + " understand the possible risk of correctness issue and still need to run the query, you"
          + " can disable this check by setting the config"
          + " `spark.sql.streaming.statefulOperator.checkCorrectness.enabled` to false.";

  static Row hour(String start, String end, String region, double total, double best) {
    return row(window(start, end), region, total, best);
  }

  @Test
  void theHourComesOutWithItsLastFiveMinutes(StreamInput sales) {
    testStream(
        ChainedOperators.buildQuery(sales.toDF()),
        Append(),
        add(sales, sale("12:01", "eu", 1.0), sale("12:04", "eu", 2.0), sale("12:06", "eu", 4.0))
            .rows()
            .watermark("11:56")
            .state(2, 0),
        // Both windows close, and their totals go on to the hour.
        add(sales, sale("12:20", "eu", 8.0)).rows().watermark("12:10").state(1, 1).updated(1, 1),
        // Late for the first operator; the second one would still take it.
        add(sales, sale("12:04", "eu", 1000.0)).rows().state(1, 1).dropped(1, 0),
        add(sales, sale("12:57", "eu", 16.0), sale("13:00", "us", 32.0))
            .rows()
            .watermark("12:50")
            .state(2, 1),
        restart(),
        // A second before the hour is over.
        add(sales, sale("13:09:59", "us", 64.0)).rows().watermark("12:59:59").state(3, 1),
        crash(sales, sale("13:10", "us", 128.0))
            .rows(hour("12:00", "13:00", "eu", 31.0, 16.0))
            .watermark("13:00")
            .state(3, 0)
            .dropped(0, 0));
  }

  @Test
  void asABatchQueryItGivesTheSameHours(SparkSession spark) {
    Dataset<Row> sales =
        spark.createDataFrame(
            List.of(
                sale("12:01", "eu", 1.0),
                sale("12:04", "eu", 2.0),
                sale("12:06", "eu", 4.0),
                sale("12:20", "eu", 8.0),
                sale("12:57", "eu", 16.0),
                sale("12:57", "eu", 16.0)),
            StructType.fromDDL(FileSource.SCHEMA));

    assertThat(ChainedOperators.buildQuery(sales).collectAsList())
        .containsExactly(hour("12:00", "13:00", "eu", 47.0, 32.0));
    assertThat(ChainedOperators.buildQueryWithoutDuplicates(sales).collectAsList())
        .containsExactly(hour("12:00", "13:00", "eu", 31.0, 16.0));
  }

  @Test
  void aDeduplicationBeforeAnAggregationRunsInUpdateMode(InMemoryStream sales) {
    testStream(
        ChainedOperators.perFiveMinutesWithoutDuplicates(sales.toDF()),
        Update(),
        add(sales, sale("12:01", "eu", 1.0)).rows(total("12:00", "12:05", "eu", 1.0)).state(1, 1),
        add(sales, sale("12:01", "eu", 1.0)).rows().duplicates(1).state(1, 1),
        add(sales, sale("12:02", "eu", 2.0)).rows(total("12:00", "12:05", "eu", 3.0)).state(2, 1));
  }

  @Test
  void anAggregationOfAnAggregationIsRefusedInUpdateAndCompleteMode(InMemoryStream sales) {
    assertRefused(ChainedOperators.buildQuery(sales.toDF()), Update(), CORRECTNESS);
    assertRefused(ChainedOperators.buildQuery(sales.toDF()), Complete(), CORRECTNESS);
  }

  static void assertRefused(Dataset<Row> query, OutputMode mode, String sentence) {
    testStream(query, mode, start().expectFailure(AnalysisException.class, sentence));
  }
}
