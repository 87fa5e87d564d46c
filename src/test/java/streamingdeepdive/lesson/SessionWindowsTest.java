package streamingdeepdive.lesson;

import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.apache.spark.sql.streaming.OutputMode.Update;
import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.Sales.sale;
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
class SessionWindowsTest {
  static Row session(String start, String end, String region, long sales, double totalAmount) {
    return row(window(start, end), region, sales, totalAmount);
  }

  static Dataset<Row> table(SparkSession spark, Row... sales) {
    return spark.createDataFrame(List.of(sales), StructType.fromDDL(FileSource.SCHEMA));
  }

  @Test
  void aLateSaleMakesOneSessionOfTwo(StreamInput sales) {
    testStream(
        SessionWindows.buildQuery(sales.toDF()),
        Append(),
        add(sales, sale("12:01", "eu", 1.0), sale("12:02", "us", 2.0)).rows().state(2),
        // Six minutes after its end: another session.
        add(sales, sale("12:12", "eu", 4.0)).rows().watermark("12:02").state(3).updated(2),
        // It makes the first one longer, and comes short of the second one.
        add(sales, sale("12:04", "eu", 8.0)).rows().state(3).dropped(0),
        // It overlaps both: until 12:09 one, from 12:12 on the other.
        add(sales, sale("12:08", "eu", 16.0)).rows().watermark("12:02").state(2).removed(1),
        restart(),
        // The watermark reaches 12:07, the end of us.
        add(sales, sale("12:17", "ap", 32.0))
            .rows(session("12:02", "12:07", "us", 1, 2.0))
            .watermark("12:07")
            .state(2),
        // It reaches 12:17.
        crash(sales, sale("12:27", "ap", 64.0))
            .rows(session("12:01", "12:17", "eu", 4, 29.0))
            .watermark("12:17")
            .state(2));
  }

  @Test
  void asABatchQueryItGivesTheSameSessions(SparkSession spark) {
    assertThat(
            SessionWindows.buildQuery(
                    table(
                        spark,
                        sale("12:01", "eu", 1.0),
                        sale("12:02", "us", 2.0),
                        sale("12:12", "eu", 4.0),
                        sale("12:04", "eu", 8.0),
                        sale("12:08", "eu", 16.0)))
                .collectAsList())
        .containsExactlyInAnyOrder(
            session("12:01", "12:17", "eu", 4, 29.0), session("12:02", "12:07", "us", 1, 2.0));
  }

  /** The session around it makes no difference. */
  @Test
  void aRowIsLateOnceTheWatermarkHasReachedTheEndOfItsOwnGap(InMemoryStream sales) {
    testStream(
        SessionWindows.buildQuery(sales.toDF()),
        Append(),
        add(sales, sale("12:06", "eu", 1.0), sale("12:11", "eu", 2.0), sale("12:16", "eu", 4.0)),
        add(sales, sale("12:20", "eu", 8.0)).rows().watermark("12:10").state(1),
        add(sales, sale("12:05", "eu", 1000.0)).rows().dropped(1).state(1),
        add(sales, sale("12:05:00.000001", "eu", 16.0)).rows().dropped(0).state(1),
        add(sales, sale("12:40", "us", 32.0))
            .rows(session("12:05:00.000001", "12:25", "eu", 5, 31.0)));
  }

  @Test
  void theGapCanDependOnTheRegion(InMemoryStream sales) {
    testStream(
        SessionWindows.buildQuery(sales.toDF(), SessionWindows.gapByRegion()),
        Append(),
        add(sales, sale("12:00", "eu", 1.0), sale("12:00", "us", 2.0), sale("12:00", null, 4.0)),
        add(sales, sale("12:06", "eu", 1.0), sale("12:06", "us", 2.0), sale("12:06", null, 4.0))
            .rows()
            .state(5),
        add(sales, sale("12:25", "ap", 1.0))
            .rows(
                session("12:00", "12:05", "eu", 1, 1.0),
                session("12:06", "12:11", "eu", 1, 1.0),
                session("12:00", "12:05", null, 1, 4.0),
                session("12:06", "12:11", null, 1, 4.0))
            .watermark("12:15")
            .state(2),
        add(sales, sale("12:26", "ap", 1.0))
            .rows(session("12:00", "12:16", "us", 2, 4.0))
            .state(1));
  }

  @Test
  void updateModeIsRefused(InMemoryStream sales) {
    assertRefused(
        SessionWindows.buildQuery(sales.toDF()),
        Update(),
        "Update output mode not supported for session window on streaming DataFrames/DataSets");
  }

  static void assertRefused(Dataset<Row> query, OutputMode mode, String sentence) {
    testStream(query, mode, start().expectFailure(AnalysisException.class, sentence));
  }
}
