package streamingdeepdive.trap;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.OutputModes;

/**
 * Complete mode with more and more keys. How much is written for a few new sales?
 *
 * <p>Complete mode outputs the whole result after each micro-batch, whatever has changed, so what
 * is written grows with the keys. Update mode outputs the rows that were updated. Each of ten files
 * has the sales of four new regions. With the last one:
 *
 * <pre>{@code
 * == 10.json
 * {"event_time":"2026-01-01T12:00:00Z","region":"r36","amount":1.0}
 * {"event_time":"2026-01-01T12:00:00Z","region":"r37","amount":1.0}
 * {"event_time":"2026-01-01T12:00:00Z","region":"r38","amount":1.0}
 * {"event_time":"2026-01-01T12:00:00Z","region":"r39","amount":1.0}
 * -- complete
 * watermark none, state rows 40 (4 updated), rows dropped as late 0, rows put out 40
 * -- update
 * watermark none, state rows 40 (4 updated), rows dropped as late 0, rows put out 4
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/CompleteModeGrowth.txt">CompleteModeGrowth.txt</a>.
 * Over the ten files that is 220 rows against 40; over n files it is (n + 1) / 2 times as many.
 *
 * <p>The state is the same in both modes, one row per key. To bound it too, the query needs a
 * window and a watermark; complete mode would ignore the watermark.
 *
 * <p>Lesson: {@link streamingdeepdive.lesson.OutputModes}. Trap before: {@link ProcessingTime}.
 * Next trap: {@link LostCheckpoint}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#output-modes">
 *     Guide: Output Modes</a>
 */
public final class CompleteModeGrowth {
  private CompleteModeGrowth() {}

  /**
   * The mistake: outputs the sales of every region, in complete mode.
   *
   * @param events rows with {@code region} and {@code amount}, streaming
   * @return the query of {@link FileSource#buildQuery}, without a sink, not started
   */
  public static DataStreamWriter<Row> everything(Dataset<Row> events) {
    return OutputModes.complete(FileSource.buildQuery(events));
  }

  /**
   * The cure: outputs the sales of the regions that have new ones, in update mode.
   *
   * @param events rows with {@code region} and {@code amount}, streaming
   * @return the query of {@link FileSource#buildQuery}, without a sink, not started
   */
  public static DataStreamWriter<Row> changes(Dataset<Row> events) {
    return OutputModes.update(FileSource.buildQuery(events));
  }

  /**
   * Prints how many rows each mode outputs.
   *
   * @param args none: a trap takes no options
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
