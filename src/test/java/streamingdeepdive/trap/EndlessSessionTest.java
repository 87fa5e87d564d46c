package streamingdeepdive.trap;

import static org.apache.spark.sql.functions.window;
import static org.apache.spark.sql.streaming.OutputMode.Append;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.testkit.Rows.at;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.Rows.window;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.time.LocalTime;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.StreamingExtension;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class EndlessSessionTest {
  private static final LocalTime NOON = LocalTime.NOON;

  /** The sales from one to another; each comes a second before the gap after the last is over. */
  static List<Row> sales(int from, int to) {
    return every(299, from, to);
  }

  static List<Row> every(int seconds, int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(i -> sale(NOON.plusSeconds((long) seconds * i).toString(), "eu", 1.0))
        .toList();
  }

  static Row piece(String start, String end, String hour, String region, long sales) {
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
}
