package streamingdeepdive.exercise;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * Regions per window.
 *
 * <p>Count in how many regions something was sold per five minutes, each region once, with a delay
 * threshold of ten minutes. A window comes out once, when it is final.
 *
 * <pre>{@code
 * testStream(
 *     query,
 *     Append(),
 *     add(sales, sale("12:01", "eu", 1.0), sale("12:02", "us", 1.0), sale("12:04", "eu", 1.0))
 *         .rows(),
 *     add(sales, sale("12:03", "br", 1.0), sale("12:06", "eu", 1.0)).rows(),
 *     add(sales, sale("12:15", "us", 1.0)).rows(row(window("12:00", "12:05"), 3L)),
 *     add(sales, sale("12:02", "ap", 1.0)).rows(),
 *     add(sales, sale("12:20", "us", 1.0)).rows(row(window("12:05", "12:10"), 1L)));
 * }</pre>
 *
 * <p>Run it with {@code mvn test -Dtest=ExercisesIT#distinctRegions}. Hints are in {@code
 * hints.md}.
 */
public final class DistinctRegions {
  private DistinctRegions() {}

  /**
   * Your query.
   *
   * @param sales {@link streamingdeepdive.lesson.FileSource#SCHEMA}, streaming
   * @return {@code window} STRUCT, {@code regions} BIGINT
   */
  public static Dataset<Row> buildQuery(Dataset<Row> sales) {
    throw new NotSolvedException();
  }
}
