package streamingdeepdive.trap;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.current_timestamp;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.apache.spark.sql.streaming.OutputMode.Update;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.Rows.at;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.testStream;

import org.apache.spark.sql.Column;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.StreamingExtension;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class FutureEventsTest {
  private static final Column CLOCK = lit(at("12:10"));
  private static final Row OF_2062 = sale("2062-01-01T12:06", "eu", 5.0);

  @Test
  void oneEventDropsAllThatFollowAlsoAfterARestart(InMemoryStream sales) {
    testStream(
        FutureEvents.buildQueryWithoutBound(sales.toDF()),
        Update(),
        add(sales, OF_2062).watermark("2062-01-01T11:56"),
        add(sales, sale("12:08", "eu", 1.0)).rows().dropped(1),
        restart(),
        add(sales, sale("12:09", "eu", 2.0)).rows().dropped(1).watermark("2062-01-01T11:56"));
  }

  @Test
  void theBoundKeepsItAway(InMemoryStream sales) {
    testStream(
        FutureEvents.buildQuery(sales.toDF(), CLOCK),
        Update(),
        add(sales, OF_2062, sale("12:08", "eu", 1.0))
            .rows(total("12:05", "12:10", "eu", 1.0))
            .watermark("11:58"),
        add(sales, sale("12:09", "eu", 2.0)).rows(total("12:05", "12:10", "eu", 3.0)).dropped(0));
  }

  @Test
  void eachEventCountsOrIsBeyondTheBound(InMemoryStream sales, InMemoryStream again) {
    Row onTheBound = sale("12:12", "eu", 1.0);
    Row beyond = sale("12:12:00.000001", "eu", 2.0);
    Row timeless = row(null, "eu", 4.0);

    testStream(
        FutureEvents.buildQuery(sales.toDF(), CLOCK, "2 minutes"),
        Update(),
        add(sales, onTheBound, beyond, timeless).rows(total("12:10", "12:15", "eu", 1.0)));
    testStream(
        FutureEvents.beyondBound(again.toDF(), CLOCK, "2 minutes"),
        Append(),
        add(again, onTheBound, beyond, timeless).rows(beyond));
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", " ", "5 min", "5m", "PT5M", "300", "five minutes"})
  void aBoundThatIsNoIntervalIsRefused(String bound, InMemoryStream sales) {
    assertThatThrownBy(() -> FutureEvents.buildQuery(sales.toDF(), CLOCK, bound))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("The bound " + bound + " is not an interval; write it as \"5 minutes\"");
    assertThatThrownBy(() -> FutureEvents.beyondBound(sales.toDF(), CLOCK, bound))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** Years that lie behind and ahead of the clock of any machine that runs this. */
  @Test
  void theClockCanBeThatOfTheMachine(InMemoryStream sales) {
    testStream(
        FutureEvents.buildQuery(sales.toDF(), current_timestamp()),
        Update(),
        add(sales, sale("2020-01-01T12:06", "eu", 1.0), sale("9999-01-01T12:06", "eu", 2.0))
            .rows(total("2020-01-01T12:05", "2020-01-01T12:10", "eu", 1.0))
            .watermark("2020-01-01T11:56"));
  }

  @Test
  void theClockCanBeAColumnOfTheEvent(
      @Columns(FileSource.SCHEMA + ", received_at TIMESTAMP") InMemoryStream sales) {
    Row ahead = row(at("13:00"), "eu", 1.0, at("12:00"));
    Row late = row(at("12:00"), "eu", 2.0, at("13:00"));
    Row notStamped = row(at("14:00"), "eu", 4.0, null);

    testStream(
        FutureEvents.beyondBound(sales.toDF(), col("received_at"), "5 minutes"),
        Append(),
        add(sales, ahead, late, notStamped).rows(ahead));
  }
}
