package streamingdeepdive.trap;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.date_trunc;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.session_window;
import static org.apache.spark.sql.functions.sum;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.SessionWindows;

/**
 * A session that goes on and on: the next sale always comes before the gap is over. What is output?
 *
 * <p>Nothing. The end of the session runs ahead of the watermark, no error says so, and the state
 * row stays for as long as the query runs. With an aggregate that keeps values, such as {@code
 * collect_list}, the row itself grows. Here a sale comes every five minutes less a second, and the
 * gap is five minutes:
 *
 * <pre>{@code
 * == 05.json
 * {"event_time":"2026-01-01T13:19:44Z","region":"eu","amount":1.0}
 * {"event_time":"2026-01-01T13:24:43Z","region":"eu","amount":1.0}
 * {"event_time":"2026-01-01T13:29:42Z","region":"eu","amount":1.0}
 * {"event_time":"2026-01-01T13:34:41Z","region":"eu","amount":1.0}
 * -- without a cut
 * (no rows)
 * watermark 2026-01-01 13:24:41, state rows 1 (1 updated), rows dropped as late 0
 * -- cut by the hour
 * +------------------------------------------+-------------------+------+-----+------------+
 * |session                                   |hour               |region|sales|total_amount|
 * +------------------------------------------+-------------------+------+-----+------------+
 * |{2026-01-01 12:00:00, 2026-01-01 13:04:48}|2026-01-01 12:00:00|eu    |13   |13.0        |
 * +------------------------------------------+-------------------+------+-----+------------+
 * watermark 2026-01-01 13:24:41, state rows 1 (1 updated), rows dropped as late 0
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/EndlessSession.txt">EndlessSession.txt</a>. No delay
 * threshold helps. A shorter gap only needs more sales.
 *
 * <p>The smallest cure is one more grouping key, the hour of the sale. A session has sales of one
 * hour only, so it is output when the watermark is an hour and the gap past its start at the
 * latest. Of a session without a pause at most two pieces are open, as long as the gap and the
 * delay threshold together are below an hour. The price: a session across the full hour is two,
 * however short it is. The key must be a column such as {@code date_trunc("hour", event_time)}.
 * Beside a session, Spark refuses {@code window}: {@code Multiple time/session window expressions
 * would result in a cartesian product of rows, therefore they are currently not supported.} If
 * sessions are not what is wanted, the totals of {@link
 * streamingdeepdive.lesson.WindowedAggregation} end in any case.
 *
 * <p>Lessons: {@link SessionWindows}. Trap before: {@link UnlimitedBacklog}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#types-of-time-windows">
 *     Guide: Types of time windows</a>
 */
public final class EndlessSession {
  private EndlessSession() {}

  /**
   * The mistake: counts and adds up the sales of each session, however long it is.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch
   * @return {@link SessionWindows#SCHEMA}
   */
  public static Dataset<Row> buildQueryWithoutCut(Dataset<Row> events) {
    return SessionWindows.buildQuery(events);
  }

  /**
   * The cure: the same, but sales of different hours are in different sessions. The hours are those
   * of the session's time zone.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch
   * @return {@code session} STRUCT of its start and end, {@code hour} TIMESTAMP, {@code region}
   *     STRING, {@code sales} BIGINT, {@code total_amount} DOUBLE
   */
  public static Dataset<Row> buildQuery(Dataset<Row> events) {
    return events
        .withWatermark("event_time", SessionWindows.DELAY_THRESHOLD)
        .groupBy(
            session_window(col("event_time"), SessionWindows.GAP).as("session"),
            date_trunc("hour", col("event_time")).as("hour"),
            col("region"))
        .agg(count(lit(1)).as("sales"), sum("amount").as("total_amount"));
  }

  /**
   * Prints the sessions that have ended, with and without the cut, in append mode.
   *
   * @param args none: a trap takes no options
   * @throws Exception if the query cannot start or fails
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson =
        LessonRun.open(args, "Adds up the sales of a session that does not end.")) {
      Dataset<Row> sales = FileSource.read(lesson.spark(), lesson.input("endless-session"));
      lesson.replay(
          start(lesson, "without a cut", buildQueryWithoutCut(sales)),
          start(lesson, "cut by the hour", buildQuery(sales)));
    }
  }

  private static StreamingQuery start(LessonRun lesson, String name, Dataset<Row> sessions)
      throws Exception {
    return sessions
        .writeStream()
        .queryName(name)
        .outputMode(OutputMode.Append())
        .foreachBatch(lesson::print)
        .option("checkpointLocation", lesson.checkpoint(name))
        .start();
  }
}
