package streamingdeepdive.lesson;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;

/**
 * What a query puts out: what is final, what has changed, or everything. Which of them can the
 * reader of the output deal with?
 *
 * <p>Append puts a total out once, when its window is closed; update whenever it has changed;
 * complete puts out all totals every time:
 *
 * <pre>{@code
 * == 03-late-but-counted.json
 * {"event_time":"2026-01-01T12:03:00Z","region":"eu","amount":100.0}
 * -- append
 * (no rows)
 * watermark 2026-01-01 12:04:00, state rows 4 (1 updated), rows dropped as late 0
 * -- update
 * +------------------------------------------+------+------------+
 * |window                                    |region|total_amount|
 * +------------------------------------------+------+------------+
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|eu    |115.0       |
 * +------------------------------------------+------+------------+
 * watermark 2026-01-01 12:04:00, state rows 4 (1 updated), rows dropped as late 0
 * -- complete
 * +------------------------------------------+------+------------+
 * |window                                    |region|total_amount|
 * +------------------------------------------+------+------------+
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|eu    |115.0       |
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|us    |9.0         |
 * |{2026-01-01 12:05:00, 2026-01-01 12:10:00}|ap    |4.0         |
 * |{2026-01-01 12:10:00, 2026-01-01 12:15:00}|eu    |1.0         |
 * +------------------------------------------+------+------------+
 * watermark 2026-01-01 12:04:00, state rows 4 (1 updated), rows dropped as late 0
 *
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
 * -- complete
 * +------------------------------------------+------+------------+
 * |window                                    |region|total_amount|
 * +------------------------------------------+------+------------+
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|eu    |115.0       |
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|us    |9.0         |
 * |{2026-01-01 12:05:00, 2026-01-01 12:10:00}|ap    |4.0         |
 * |{2026-01-01 12:10:00, 2026-01-01 12:15:00}|eu    |1.0         |
 * |{2026-01-01 12:15:00, 2026-01-01 12:20:00}|us    |3.0         |
 * +------------------------------------------+------+------------+
 * watermark 2026-01-01 12:05:00, state rows 5 (1 updated), rows dropped as late 0
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/OutputModes.txt">OutputModes.txt</a>.
 *
 * <p>Append suits a sink that cannot take a row back, such as files; it is late by the delay
 * threshold, and the last windows wait until newer events come. Update suits a sink with keys that
 * replaces rows. Complete suits a small result: it keeps all state, and it ignores the watermark,
 * so that in {@code 05-too-late.json} the 1000.0 counts there and nowhere else.
 *
 * <p>Spark refuses what cannot work when the query starts: append of an aggregation without a
 * watermark, complete without an aggregation, update and complete into Parquet, sorting in append.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#output-modes">
 *     Guide: Output Modes</a>
 */
public final class OutputModes {
  private OutputModes() {}

  /**
   * Puts each row out once, when it is final.
   *
   * @param totals a streaming aggregation with a watermark
   * @return the query, to be given a sink and started
   */
  public static DataStreamWriter<Row> append(Dataset<Row> totals) {
    return totals.writeStream().outputMode(OutputMode.Append());
  }

  /**
   * Puts out the rows that have changed since the last micro-batch.
   *
   * @param totals a streaming aggregation
   * @return the query, to be given a sink and started
   */
  public static DataStreamWriter<Row> update(Dataset<Row> totals) {
    return totals.writeStream().outputMode(OutputMode.Update());
  }

  /**
   * Puts out the whole result after every micro-batch with data.
   *
   * @param totals a streaming aggregation
   * @return the query, to be given a sink and started
   */
  public static DataStreamWriter<Row> complete(Dataset<Row> totals) {
    return totals.writeStream().outputMode(OutputMode.Complete());
  }

  /**
   * Prints what each mode puts out for each file.
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
