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
import static streamingdeepdive.testkit.Rows.at;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.Rows.window;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
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

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class EndlessSessionTest {
  private static final LocalTime NOON = LocalTime.NOON;

  /** The sales from one to another; each comes a second before the gap after the last is over. */
  private static List<Row> sales(int from, int to) {
    return every(299, from, to);
  }

  private static List<Row> every(int seconds, int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(i -> sale(NOON.plusSeconds((long) seconds * i).toString(), "eu", 1.0))
        .toList();
  }

  private static Row piece(String start, String end, String hour, String region, long sales) {
    return row(window(start, end), at(hour), region, sales, (double) sales);
  }

  @Test
  void nothingIsOutputAndTheStateRowStays(InMemoryStream sales) {
    testStream(
        EndlessSession.buildQueryWithoutCut(sales.toDF()),
        Append(),
        add(sales, sales(0, 16)).rows().state(1).watermark("13:04:45"),
        add(sales, sales(16, 40)).rows().state(1).watermark("15:04:21"),
        restart(),
        add(sales, sales(40, 100)).rows().state(1).watermark("20:03:21"),
        // Only a pause ends it.
        add(sales, sale("23:00", "us", 1.0))
            .rows(row(window("12:00", "20:18:21"), "eu", 100L, 100.0))
            .state(1));
  }

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

  private static long stateMemory(List<StreamingQueryProgress> progress) {
    return progress.get(progress.size() - 1).stateOperators()[0].memoryUsedBytes();
  }

  @Test
  void cutByTheHourEachPieceIsOutputAndItsStateRowGoes(InMemoryStream sales) {
    testStream(
        EndlessSession.buildQuery(sales.toDF()),
        Append(),
        add(sales, sales(0, 13)).rows().state(1),
        // The watermark is three seconds short of the end.
        add(sales, sales(13, 16)).rows().watermark("13:04:45").state(2),
        add(sales, sales(16, 17))
            .rows(piece("12:00", "13:04:48", "12:00", "eu", 13))
            .state(1)
            .removed(1),
        restart(),
        add(sales, sales(17, 28)).rows().watermark("14:04:33").state(2),
        add(sales, sales(28, 29)).rows(piece("13:04:47", "14:04:36", "13:00", "eu", 12)).state(1),
        add(sales, sales(29, 41)).rows(piece("14:04:35", "15:04:24", "14:00", "eu", 12)).state(1));
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
}
