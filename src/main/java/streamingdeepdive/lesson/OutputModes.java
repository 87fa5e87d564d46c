package streamingdeepdive.lesson;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;

/**
 * What a query outputs after each micro-batch: final rows, updated rows, or all of them. Which of
 * these can the reader of the output handle?
 *
 * <p>Append mode outputs a total once, when its window is closed. Update mode outputs a total
 * whenever a row was added to it, even of amount 0. Complete mode outputs all totals every time:
 *
 * <pre>{@code
 * == 04-closes-the-first-window.json
 * {"event_time":"2026-01-01T12:15:00Z","region":"us","amount":3.0}
 * -- append
 * +------------------------------------------+------+------------+
 * |window                                    |region|total_amount|
 * +------------------------------------------+------+------------+
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|eu    |115.0       |
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|us    |9.0         |
 * +------------------------------------------+------+------------+
 * watermark 2026-01-01 12:05:00, state rows 3 (1 updated), rows dropped as late 0
 * -- update
 * +------------------------------------------+------+------------+
 * |window                                    |region|total_amount|
 * +------------------------------------------+------+------------+
 * |{2026-01-01 12:15:00, 2026-01-01 12:20:00}|us    |3.0         |
 * +------------------------------------------+------+------------+
 * watermark 2026-01-01 12:05:00, state rows 3 (1 updated), rows dropped as late 0
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/OutputModes.txt">OutputModes.txt</a>. Append suits a
 * sink that cannot take a row back, such as files; it is late by the delay threshold, and the last
 * windows wait for newer events. Update suits a sink that replaces rows by key. Complete suits a
 * small result: it keeps all state and ignores the watermark, so in {@code 05-too-late.json} the
 * 1000.0 counts there and nowhere else.
 *
 * <p>A stream does not have the full DataFrame API. Spark refuses at the start: append mode for an
 * aggregation without a watermark, complete mode without an aggregation, update and complete mode
 * into Parquet, sorting except in complete mode, a limit in update mode, {@code count_distinct} and
 * {@code row_number}.
 *
 * <p>Before: {@link Watermark}. Next: {@link Deduplication}. Trap: {@link
 * streamingdeepdive.trap.CompleteModeGrowth}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#output-modes">
 *     Guide: Output Modes</a>
 */
public final class OutputModes {
  private OutputModes() {}

  /**
   * Outputs each row once, when it is final.
   *
   * @param totals a streaming aggregation with a watermark
   * @return the query without a sink, not started
   */
  public static DataStreamWriter<Row> append(Dataset<Row> totals) {
    return totals.writeStream().outputMode(OutputMode.Append());
  }

  /**
   * Outputs the rows that were updated in the micro-batch.
   *
   * @param totals a streaming aggregation
   * @return the query without a sink, not started
   */
  public static DataStreamWriter<Row> update(Dataset<Row> totals) {
    return totals.writeStream().outputMode(OutputMode.Update());
  }

  /**
   * Outputs the whole result after every micro-batch with data.
   *
   * @param totals a streaming aggregation
   * @return the query without a sink, not started
   */
  public static DataStreamWriter<Row> complete(Dataset<Row> totals) {
    return totals.writeStream().outputMode(OutputMode.Complete());
  }

  /**
   * Prints what each mode outputs for each file.
   *
   * @param args none for the sample data, or {@code --input} and {@code --checkpoint}
   * @throws Exception if the query cannot start or fails
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson =
        LessonRun.open(
            args, "Puts out the same totals in each output mode.", "input", "checkpoint")) {
      Dataset<Row> sales = FileSource.read(lesson.spark(), lesson.input("sales"));
      Dataset<Row> totals = WindowedAggregation.buildQuery(sales);
      lesson.replay(
          start(lesson, "append", append(totals)),
          start(lesson, "update", update(totals)),
          start(lesson, "complete", complete(totals)));
    }
  }

  private static StreamingQuery start(LessonRun lesson, String name, DataStreamWriter<Row> totals)
      throws Exception {
    return totals
        .queryName(name)
        .foreachBatch(lesson::print)
        .option("checkpointLocation", lesson.checkpoint(name))
        .start();
  }
}
