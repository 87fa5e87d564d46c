package streamingdeepdive.exercise;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * Sessions.
 *
 * <p>A session of a region goes on until the region sells nothing for five minutes, or for fifteen
 * after a sale of 100.0 or more. Count the sales of each session, with a delay threshold of ten
 * minutes. A late sale can make one session of two: that of 12:05:30 does.
 *
 * <pre>{@code
 * testStream(
 *     query,
 *     Append(),
 *     add(sales, sale("12:01", "eu", 1.0), sale("12:02", "us", 100.0)).rows(),
 *     add(sales, sale("12:10", "eu", 1.0)).rows().state(3),
 *     add(sales, sale("12:05:30", "eu", 1.0)).rows().state(2),
 *     add(sales, sale("12:28", "us", 1.0))
 *         .rows(row(window("12:01", "12:15"), "eu", 3L), row(window("12:02", "12:17"), "us", 1L)));
 * }</pre>
 *
 * <p>Run it with {@code mvn test -Dtest=ExercisesIT#sessions}. Hints are in {@code hints.md}.
 */
public final class Sessions {
  private Sessions() {}

  /**
   * Your query.
   *
   * @param sales {@link streamingdeepdive.lesson.FileSource#SCHEMA}, streaming
   * @return {@code window} STRUCT from the first sale to the end of the pause, {@code region}
   *     STRING, {@code sales} BIGINT
   */
  public static Dataset<Row> buildQuery(Dataset<Row> sales) {
    throw new NotSolvedException();
  }
}
