package streamingdeepdive.exercise;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * Late sales, kept.
 *
 * <p>An aggregation per five minutes drops sales whose window is closed. Return those, and no
 * others: the sale of 12:06 is behind the watermark, and its window is open. The delay threshold is
 * ten minutes.
 *
 * <pre>{@code
 * testStream(
 *     query,
 *     Append(),
 *     add(sales, sale("12:01", "eu", 1.0)).rows(),
 *     add(sales, sale("12:18", "us", 2.0)).rows().watermark("12:08"),
 *     add(sales, sale("12:06", "eu", 4.0)).rows(),
 *     add(sales, sale("12:04", "eu", 8.0)).rows(sale("12:04", "eu", 8.0)),
 *     restart(),
 *     add(sales, sale("12:19", "us", 1.0), sale("12:02", "us", 16.0))
 *         .rows(sale("12:02", "us", 16.0)));
 * }</pre>
 *
 * <p>Run it with {@code mvn test -Dtest=ExercisesIT#lateSales}. Hints are in {@code hints.md}.
 */
public final class LateSales {
  private LateSales() {}

  /**
   * Your query.
   *
   * @param sales {@link streamingdeepdive.lesson.FileSource#SCHEMA}, streaming
   * @return {@link streamingdeepdive.lesson.FileSource#SCHEMA}
   */
  public static Dataset<Row> buildQuery(Dataset<Row> sales) {
    throw new NotSolvedException();
  }
}
