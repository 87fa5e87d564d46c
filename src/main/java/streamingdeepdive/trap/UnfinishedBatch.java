package streamingdeepdive.trap;

import java.util.List;
import java.util.function.Consumer;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.OutputModes;
import streamingdeepdive.lesson.WindowedAggregation;

/**
 * A {@code foreachBatch} that does not read its whole batch. Why does the query fail in the next
 * micro-batch?
 *
 * <p>The batch is not a table but a query: an action on it computes the micro-batch and writes the
 * state of each partition on the way. An action that stops at the first row, as {@code show(1)},
 * {@code take}, {@code limit} and {@code isEmpty} do, leaves the state of other partitions
 * unwritten, and the next micro-batch does not find it. Two actions compute everything after the
 * shuffle twice, the state too, and a query without a shuffle reads its source twice. The numbers
 * that the query reports are then doubled:
 *
 * <pre>{@code
 * == 02-out-of-order.json
 * {"event_time":"2026-01-01T12:14:00Z","region":"eu","amount":1.0}
 * {"event_time":"2026-01-01T12:05:00Z","region":"ap","amount":4.0}
 * {"event_time":"2026-01-01T12:03:00Z","region":"us","amount":2.0}
 * -- first row
 * has died
 * -- all rows
 * watermark 2026-01-01 12:04:00, state rows 4 (3 updated), rows dropped as late 0
 * -- computed twice
 * watermark 2026-01-01 12:04:00, state rows 4 (6 updated), rows dropped as late 0
 * -- computed once
 * watermark 2026-01-01 12:04:00, state rows 4 (3 updated), rows dropped as late 0
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/UnfinishedBatch.txt">UnfinishedBatch.txt</a>.
 *
 * <p>The query need not fail at once: if the first partition with rows is the last one, all state
 * is written. A batch on which no action runs is worse. If that is so from the start, no row is
 * ever read, and the query seems to run well; if it is so for some batches only, the query fails in
 * the one after.
 *
 * <p>The cure is one action on the whole batch. Where two are needed, {@code persist} lets the
 * second read what the first has computed; alone it does not help, since it computes nothing.
 *
 * <p>Lessons: {@link streamingdeepdive.lesson.JdbcSink}, {@link
 * streamingdeepdive.lesson.KafkaSink}. Trap before: {@link ChangedQuery}. Next trap: {@link
 * FutureEvents}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#foreachbatch">
 *     Guide: ForeachBatch</a>
 */
public final class UnfinishedBatch {
  private UnfinishedBatch() {}

  /**
   * The mistake: passes on the first row of each micro-batch.
   *
   * @param totals a streaming aggregation
   * @param target receives the rows
   * @return the query in update mode, not started
   */
  public static DataStreamWriter<Row> firstRow(Dataset<Row> totals, Consumer<List<Row>> target) {
    VoidFunction2<Dataset<Row>, Long> sink = (batch, batchId) -> target.accept(batch.takeAsList(1));
    return OutputModes.update(totals).foreachBatch(sink);
  }

  /**
   * The cure: passes on all rows of each micro-batch.
   *
   * @param totals a streaming aggregation
   * @param target receives the rows
   * @return the query in update mode, not started
   */
  public static DataStreamWriter<Row> allRows(Dataset<Row> totals, Consumer<List<Row>> target) {
    VoidFunction2<Dataset<Row>, Long> sink =
        (batch, batchId) -> target.accept(batch.collectAsList());
    return OutputModes.update(totals).foreachBatch(sink);
  }

  /**
   * The other mistake: counts each micro-batch, and passes it on if it has rows.
   *
   * @param totals a streaming aggregation
   * @param target receives the rows
   * @return the query in update mode, not started
   */
  public static DataStreamWriter<Row> computedTwice(
      Dataset<Row> totals, Consumer<List<Row>> target) {
    VoidFunction2<Dataset<Row>, Long> sink =
        (batch, batchId) -> {
          if (batch.count() > 0) {
            target.accept(batch.collectAsList());
          }
        };
    return OutputModes.update(totals).foreachBatch(sink);
  }

  /**
   * Its cure: persists each micro-batch before it is counted.
   *
   * @param totals a streaming aggregation
   * @param target receives the rows
   * @return the query in update mode, not started
   */
  public static DataStreamWriter<Row> computedOnce(
      Dataset<Row> totals, Consumer<List<Row>> target) {
    VoidFunction2<Dataset<Row>, Long> sink =
        (batch, batchId) -> {
          batch.persist();
          try {
            if (batch.count() > 0) {
              target.accept(batch.collectAsList());
            }
          } finally {
            batch.unpersist();
          }
        };
    return OutputModes.update(totals).foreachBatch(sink);
  }

  /**
   * Prints the state rows of each query and whether it has failed.
   *
   * @param args none: a trap takes no options
   * @throws Exception if the query cannot start or fails
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson =
        LessonRun.open(args, "Looks at a part of each micro-batch, at all of it, and twice.")) {
      Dataset<Row> sales = FileSource.read(lesson.spark(), lesson.input("sales"));
      Dataset<Row> totals = WindowedAggregation.buildQuery(sales);
      Consumer<List<Row>> nobody = rows -> {};
      lesson.replay(
          start(lesson, "first row", firstRow(totals, nobody)),
          start(lesson, "all rows", allRows(totals, nobody)),
          start(lesson, "computed twice", computedTwice(totals, nobody)),
          start(lesson, "computed once", computedOnce(totals, nobody)));
    }
  }

  private static StreamingQuery start(LessonRun lesson, String name, DataStreamWriter<Row> query)
      throws Exception {
    return query.queryName(name).option("checkpointLocation", lesson.checkpoint(name)).start();
  }
}
