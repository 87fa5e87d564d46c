package streamingdeepdive.trap;

import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.not;

import java.time.Instant;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.util.IntervalUtils;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.unsafe.types.CalendarInterval;
import org.apache.spark.unsafe.types.UTF8String;
import streamingdeepdive.app.LessonRun;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.WindowedAggregation;

/**
 * One event from the future. What does a wrong year do to all the events that come after it?
 *
 * <p>The watermark follows the newest event time, whatever its source, and never goes back. After
 * one sale of 2062 every correct sale is late and dropped, for 36 years. A restart does not help:
 * the watermark is in the checkpoint.
 *
 * <pre>{@code
 * == 02-a-wrong-year.json
 * {"event_time":"2062-01-01T12:06:00Z","region":"eu","amount":5.0}
 * -- without a bound
 * watermark 2062-01-01 11:56:00, state rows 1 (1 updated), rows dropped as late 0, rows put out 2
 * -- with a bound
 * watermark 2026-01-01 11:54:00, state rows 2 (0 updated), rows dropped as late 0, rows put out 0
 *
 * == 03-on-time.json
 * {"event_time":"2026-01-01T12:08:00Z","region":"eu","amount":20.0}
 * {"event_time":"2026-01-01T12:09:00Z","region":"us","amount":3.0}
 * -- without a bound
 * watermark 2062-01-01 11:56:00, state rows 1 (0 updated), rows dropped as late 2, rows put out 0
 * -- with a bound
 * watermark 2026-01-01 11:59:00, state rows 4 (2 updated), rows dropped as late 0, rows put out 0
 *
 * == 04-an-hour-later.json
 * {"event_time":"2026-01-01T13:20:00Z","region":"us","amount":1.0}
 * -- without a bound
 * watermark 2062-01-01 11:56:00, state rows 1 (0 updated), rows dropped as late 1, rows put out 0
 * -- with a bound
 * watermark 2026-01-01 13:10:00, state rows 1 (1 updated), rows dropped as late 0, rows put out 4
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/FutureEvents.txt">FutureEvents.txt</a>.
 *
 * <p>The cure is a bound on how far ahead of the clock an event may be, applied before the
 * watermark sees the event. What is beyond the bound is not thrown away: {@link #beyondBound} has
 * it.
 *
 * <p>Lessons: {@link streamingdeepdive.lesson.Watermark}, {@link
 * streamingdeepdive.lesson.BadRecords}. Trap before: {@link UnfinishedBatch}. Next trap: {@link
 * UnlimitedBacklog}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#handling-late-data-and-watermarking">
 *     Guide: Handling Late Data and Watermarking</a>
 */
public final class FutureEvents {
  /** How far ahead of the clock an event may be: as far as the clocks of the senders may differ. */
  public static final String BOUND = "5 minutes";

  private FutureEvents() {}

  /**
   * The mistake: adds up amounts per window and region of all events.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch
   * @return {@link WindowedAggregation#SCHEMA}
   */
  public static Dataset<Row> buildQueryWithoutBound(Dataset<Row> events) {
    return WindowedAggregation.buildQuery(events);
  }

  /**
   * The cure: adds up amounts per window and region of the events that are at most {@value #BOUND}
   * ahead of the clock.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch
   * @param clock TIMESTAMP: {@code current_timestamp()}, or the column in which the receiver of the
   *     event has put its own time
   * @return {@link WindowedAggregation#SCHEMA}
   */
  public static Dataset<Row> buildQuery(Dataset<Row> events, Column clock) {
    return buildQuery(events, clock, BOUND);
  }

  /**
   * The cure with another bound.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch
   * @param clock TIMESTAMP, as for {@link #buildQuery(Dataset, Column)}
   * @param bound an interval such as {@code "5 minutes"}: how far ahead of the clock an event may
   *     be
   * @return {@link WindowedAggregation#SCHEMA}
   * @throws IllegalArgumentException if the bound is not an interval
   */
  public static Dataset<Row> buildQuery(Dataset<Row> events, Column clock, String bound) {
    return WindowedAggregation.buildQuery(events.where(not(isAhead(clock, bound))));
  }

  /**
   * The events that the cure leaves out.
   *
   * @param events {@code event_time} TIMESTAMP and any others, streaming or batch
   * @param clock TIMESTAMP, the same as for {@link #buildQuery}
   * @param bound an interval, the same as for {@link #buildQuery}
   * @return the same columns
   * @throws IllegalArgumentException if the bound is not an interval
   */
  public static Dataset<Row> beyondBound(Dataset<Row> events, Column clock, String bound) {
    return events.where(isAhead(clock, bound));
  }

  /** An event without a time is not ahead, nor is one whose clock is null. */
  private static Column isAhead(Column clock, String bound) {
    return coalesce(col("event_time").gt(clock.plus(lit(interval(bound)))), lit(false));
  }

  /** A cast would make a null of what is not an interval, and no event would ever be ahead. */
  private static CalendarInterval interval(String bound) {
    try {
      return IntervalUtils.stringToInterval(UTF8String.fromString(bound));
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(
          "The bound " + bound + " is not an interval; write it as \"5 minutes\"", e);
    }
  }

  /**
   * Prints watermark, state rows and late rows with and without the bound, then the events that are
   * beyond it.
   *
   * @param args none: a trap takes no options
   * @throws Exception if the query cannot start or fails
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson = LessonRun.open(args, "Adds up sales, one of which has a wrong year.")) {
      Column clock = lit(Instant.parse("2026-01-01T18:00:00Z"));
      String input = lesson.input("future-event");
      Dataset<Row> sales = FileSource.read(lesson.spark(), input);
      lesson.replay(
          start(lesson, "without a bound", buildQueryWithoutBound(sales)),
          start(lesson, "with a bound", buildQuery(sales, clock)));
      Dataset<Row> table = FileSource.readTable(lesson.spark(), input);
      lesson.printTable("beyond the bound", beyondBound(table, clock, BOUND));
    }
  }

  private static StreamingQuery start(LessonRun lesson, String name, Dataset<Row> totals)
      throws Exception {
    return totals
        .writeStream()
        .queryName(name)
        .outputMode(OutputMode.Append())
        .format("noop")
        .option("checkpointLocation", lesson.checkpoint(name))
        .start();
  }
}
