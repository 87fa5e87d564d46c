package streamingdeepdive.exercise.solution;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.collect_set;
import static org.apache.spark.sql.functions.size;
import static org.apache.spark.sql.functions.window;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * Spark refuses {@code count_distinct} on a stream. The set of a window's regions is its state;
 * that is fine for regions. For millions of users {@code approx_count_distinct} keeps the state
 * small.
 */
public final class DistinctRegions {
  private DistinctRegions() {}

  public static Dataset<Row> buildQuery(Dataset<Row> sales) {
    return sales
        .withWatermark("event_time", "10 minutes")
        .groupBy(window(col("event_time"), "5 minutes").as("window"))
        .agg(size(collect_set("region")).cast("long").as("regions"));
  }
}
