package streamingdeepdive.trap;

import static org.apache.spark.sql.streaming.OutputMode.Complete;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.Rows.at;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.Step;
import streamingdeepdive.testkit.StreamingExtension;

@ExtendWith(StreamingExtension.class)
@Columns(ProcessingTime.SCHEMA)
class ProcessingTimeTest {
  /** How the sales of 12:01, 12:04 and 12:06 come: in which pieces, and when. */
  enum Delivery {
    ON_TIME(
        new Row[][] {
          {sale("12:01", 1.0, "12:01")},
          {sale("12:04", 2.0, "12:04")},
          {sale("12:06", 4.0, "12:06")}
        },
        total("12:00", "12:05", "eu", 3.0),
        total("12:05", "12:10", "eu", 4.0)),
    DELAYED(
        new Row[][] {
          {sale("12:01", 1.0, "12:01")}, {sale("12:06", 4.0, "12:06"), sale("12:04", 2.0, "12:08")}
        },
        total("12:00", "12:05", "eu", 1.0),
        total("12:05", "12:10", "eu", 6.0)),
    REPLAYED(
        new Row[][] {
          {
            sale("12:06", 4.0, "2026-01-02T09:00"),
            sale("12:04", 2.0, "2026-01-02T09:00"),
            sale("12:01", 1.0, "2026-01-02T09:00")
          }
        },
        total("2026-01-02T09:00", "2026-01-02T09:05", "eu", 7.0));

    final Row[][] pieces;
    final Row[] processingTimeTotals;

    Delivery(Row[][] pieces, Row... processingTimeTotals) {
      this.pieces = pieces;
      this.processingTimeTotals = processingTimeTotals;
    }

    private static Row sale(String eventTime, double amount, String processingTime) {
      return row(at(eventTime), "eu", amount, at(processingTime));
    }

    /** The script that delivers the sales; the last step shows all totals. */
    Step[] script(InMemoryStream sales, Row... totals) {
      Step[] steps = Stream.of(pieces).map(piece -> add(sales, piece)).toArray(Step[]::new);
      steps[steps.length - 1].rows(totals);
      return steps;
    }
  }

  @ParameterizedTest
  @EnumSource
  void onEventTimeTheTotalsAreTheSame(Delivery delivery, InMemoryStream sales) {
    testStream(
        ProcessingTime.buildQuery(sales.toDF()),
        Complete(),
        delivery.script(
            sales, total("12:00", "12:05", "eu", 3.0), total("12:05", "12:10", "eu", 4.0)));
  }

  @ParameterizedTest
  @EnumSource
  void onProcessingTimeTheyAreNot(Delivery delivery, InMemoryStream sales) {
    testStream(
        ProcessingTime.buildQueryOnProcessingTime(sales.toDF()),
        Complete(),
        delivery.script(sales, delivery.processingTimeTotals));
  }
}
