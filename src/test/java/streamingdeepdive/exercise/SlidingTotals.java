package streamingdeepdive.exercise;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * Windows that overlap.
 *
 * <p>Add up the amounts per ten minutes and region, with a new window every five minutes and a
 * delay threshold of ten minutes. Then say in your own words why a sale is in two windows, and why
 * that is no duplicate.
 *
 * <pre>{@code
 * testStream(
 *     query,
 *     Update(),
 *     add(sales, sale("12:03", "eu", 10.0))
 *         .rows(total("11:55", "12:05", "eu", 10.0), total("12:00", "12:10", "eu", 10.0)),
 *     add(sales, sale("12:05", "us", 2.0), sale("12:09", "eu", 1.0))
 *         .rows(
 *             total("12:00", "12:10", "us", 2.0),
 *             total("12:05", "12:15", "us", 2.0),
 *             total("12:00", "12:10", "eu", 11.0),
 *             total("12:05", "12:15", "eu", 1.0)),
 *     add(sales, sale("12:17", "eu", 4.0))
 *         .rows(total("12:10", "12:20", "eu", 4.0), total("12:15", "12:25", "eu", 4.0))
 *         .watermark("12:07"),
 *     add(sales, sale("12:04", "eu", 5.0)).rows(total("12:00", "12:10", "eu", 16.0)).dropped(1));
 * }</pre>
 *
 * <p>Run it with {@code mvn test -Dtest=ExercisesIT#slidingTotals}. Hints are in {@code hints.md}.
 */
public final class SlidingTotals {
  private SlidingTotals() {}

  /**
   * Your query.
   *
   * @param sales {@link streamingdeepdive.lesson.FileSource#SCHEMA}, streaming
   * @return {@link streamingdeepdive.lesson.WindowedAggregation#SCHEMA}
   */
  public static Dataset<Row> buildQuery(Dataset<Row> sales) {
    throw new NotSolvedException();
  }
}
