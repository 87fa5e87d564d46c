package streamingdeepdive.trap;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.collect_list;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.session_window;
import static org.apache.spark.sql.functions.window;
import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.Rows.window;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.testStream;
import static streamingdeepdive.trap.EndlessSessionTest.every;
import static streamingdeepdive.trap.EndlessSessionTest.piece;
import static streamingdeepdive.trap.EndlessSessionTest.sales;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.SessionWindows;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.StreamingExtension;

/** What is no cure, and what the cure costs. */
@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class EndlessSessionIT {
  @Test
  void anAggregateThatKeepsValuesMakesTheStateRowGrow(InMemoryStream sales) {
    Dataset<Row> amounts =
        sales
            .toDF()
            .withWatermark("event_time", SessionWindows.DELAY_THRESHOLD)
            .groupBy(session_window(col("event_time"), SessionWindows.GAP), col("region"))
            .agg(collect_list("amount"));
    List<Long> bytes = new ArrayList<>();
    testStream(
        amounts,
        Append(),
        add(sales, every(1, 0, 10)).state(1).satisfies((q, p) -> bytes.add(stateMemory(p))),
        add(sales, every(1, 10, 5000)).state(1).satisfies((q, p) -> bytes.add(stateMemory(p))));

    assertThat(bytes.get(1) - bytes.get(0)).isGreaterThan(4990 * Double.BYTES);
  }

  @Test
  void aShortSessionAcrossTheHourIsCutAndOthersAreNot(InMemoryStream sales) {
    testStream(
        EndlessSession.buildQuery(sales.toDF()),
        Append(),
        add(sales, sale("12:10", "eu", 1.0), sale("12:13", "eu", 1.0), sale("12:30", "eu", 1.0)),
        add(sales, sale("12:59:59", "us", 1.0), sale("13:00", "us", 1.0)),
        add(sales, sale("14:00", "ap", 1.0))
            .allRows(
                piece("12:10", "12:18", "12:00", "eu", 2),
                piece("12:30", "12:35", "12:00", "eu", 1),
                piece("12:59:59", "13:04:59", "12:00", "us", 1),
                piece("13:00", "13:05", "13:00", "us", 1)));
  }

  @Test
  void aShorterGapIsNoCure(InMemoryStream sales) {
    testStream(
        SessionWindows.buildQuery(sales.toDF(), lit("1 minute")),
        Append(),
        add(sales, every(59, 0, 100)).rows().state(1),
        add(sales, every(59, 100, 200)).rows().state(1));
  }

  @Test
  void noDelayThresholdIsACure(InMemoryStream sales) {
    testStream(
        sales
            .toDF()
            .withWatermark("event_time", "0 seconds")
            .groupBy(session_window(col("event_time"), SessionWindows.GAP), col("region"))
            .count(),
        Append(),
        add(sales, sales(0, 20)).rows().state(1),
        add(sales, sales(20, 40)).rows().state(1));
  }

  @Test
  void aWindowBesideASessionIsRefused(InMemoryStream sales) {
    assertThatThrownBy(
            () ->
                sales
                    .toDF()
                    .groupBy(
                        session_window(col("event_time"), SessionWindows.GAP),
                        window(col("event_time"), "1 hour"))
                    .count())
        .isInstanceOf(AnalysisException.class)
        .hasMessageContaining(
            "Multiple time/session window expressions would result in a cartesian product of rows,"
                + " therefore they are currently not supported.");
  }

  @Test
  void tumblingWindowsEnd(InMemoryStream sales) {
    testStream(
        WindowedAggregation.buildQuery(sales.toDF()),
        Append(),
        add(sales, sales(0, 4)).rows().watermark("12:04:57").state(3),
        add(sales, sales(4, 5))
            .rows(total("12:00", "12:05", "eu", 2.0))
            .watermark("12:09:56")
            .state(3));
  }

  private static long stateMemory(List<StreamingQueryProgress> progress) {
    return progress.get(progress.size() - 1).stateOperators()[0].memoryUsedBytes();
  }
}
