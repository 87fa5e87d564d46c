package streamingdeepdive.exercise;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.DataStreamWriter;

/**
 * A foreachBatch that survives its replay.
 *
 * <p>Write the rows of each micro-batch as Parquet into the directory or one below it, with {@code
 * foreachBatch}. After a crash Spark hands over the last micro-batch once more; its rows must not
 * be there twice. Two equal rows of different micro-batches must be.
 *
 * <pre>{@code
 * testStream(
 *     query,
 *     () -> rowsIn(directory),
 *     add(sales, sale("12:01", "eu", 1.0)).rows(sale("12:01", "eu", 1.0)),
 *     crash(sales, sale("12:02", "us", 2.0))
 *         .rows(sale("12:01", "eu", 1.0), sale("12:02", "us", 2.0)),
 *     add(sales, sale("12:01", "eu", 1.0))
 *         .rows(sale("12:01", "eu", 1.0), sale("12:02", "us", 2.0), sale("12:01", "eu", 1.0)));
 * }</pre>
 *
 * <p>Run it with {@code mvn test -Dtest=ExercisesIT#replayedBatches}. Hints are in {@code
 * hints.md}.
 */
public final class ReplayedBatches {
  private ReplayedBatches() {}

  /**
   * Writes each micro-batch, once or again.
   *
   * @param sales any rows, streaming
   * @param directory the directory to write
   * @return the query, not started
   */
  public static DataStreamWriter<Row> buildQuery(Dataset<Row> sales, String directory) {
    throw new NotSolvedException();
  }
}
