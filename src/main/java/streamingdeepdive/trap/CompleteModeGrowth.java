package streamingdeepdive.trap;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.OutputModes;

/**
 * Complete mode with keys that become more and more. How much is written for a few new sales?
 *
 * <p>Complete mode puts out the whole result after each micro-batch, whatever has changed: what is
 * written per trigger grows with the keys. Update mode puts out what has changed. The replay
 * generates 10 files with sales of 20 new regions each:
 *
 * <pre>{@code
 * == 001.json
 * +--------+------------+
 * |query   |rows put out|
 * +--------+------------+
 * |complete|20          |
 * |update  |20          |
 * +--------+------------+
 * }</pre>
 *
 * and with the last file:
 *
 * <pre>{@code
 * == 010.json
 * +--------+------------+
 * |query   |rows put out|
 * +--------+------------+
 * |complete|200         |
 * |update  |20          |
 * +--------+------------+
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/CompleteModeGrowth.txt">CompleteModeGrowth.txt</a>.
 * Over the ten files that is 1100 rows against 200; with n files it is (n + 1) / 2 times as many.
 *
 * <p>The state is the same in both modes, a row for each key. To bound it too, the query needs a
 * window and a watermark; complete mode would ignore that one.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#output-modes">
 *     Guide: Output Modes</a>
 */
public final class CompleteModeGrowth {

  private CompleteModeGrowth() {}

  /**
   * The mistake: puts out the sales of every region, in complete mode.
   *
   * @param events rows with {@code region} and {@code amount}, streaming
   * @return {@code region} STRING, {@code sales} BIGINT, {@code total_amount} DOUBLE, to be given a
   *     sink and started
   */
  public static DataStreamWriter<Row> everything(Dataset<Row> events) {
    return OutputModes.complete(FileSource.buildQuery(events));
  }

  /**
   * The cure: puts out the sales of the regions that have new ones, in update mode.
   *
   * @param events rows with {@code region} and {@code amount}, streaming
   * @return {@code region} STRING, {@code sales} BIGINT, {@code total_amount} DOUBLE, to be given a
   *     sink and started
   */
  public static DataStreamWriter<Row> changes(Dataset<Row> events) {
    return OutputModes.update(FileSource.buildQuery(events));
  }

  /**
   * Prints how many rows each mode puts out.
   *
   * @param args takes none
   * @throws Exception if the query cannot start or fails
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson =
        LessonRun.open(args, "Puts out more and more keys in complete and in update mode.")) {
      Dataset<Row> sales = FileSource.read(lesson.spark(), lesson.input("many-regions"));
      lesson.replay(
          start(lesson, "complete", everything(sales)), start(lesson, "update", changes(sales)));
    }
  }

  private static StreamingQuery start(LessonRun lesson, String name, DataStreamWriter<Row> totals)
      throws Exception {
    return totals
        .queryName(name)
        .format("noop")
        .option("checkpointLocation", lesson.checkpoint(name))
        .start();
  }
}
