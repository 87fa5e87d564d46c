package streamingdeepdive.exercise.solution;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.window;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * Each window is a question of its own: what was sold in these ten minutes? The sale of 12:03
 * belongs to the answer for 11:55 to 12:05 and to the one for 12:00 to 12:10. Each answer counts it
 * once.
 */
public final class SlidingTotals {
  private SlidingTotals() {}

  public static Dataset<Row> buildQuery(Dataset<Row> sales) {
    return sales
        .withWatermark("event_time", "10 minutes")
        .groupBy(window(col("event_time"), "10 minutes", "5 minutes").as("window"), col("region"))
        .agg(sum("amount").as("total_amount"));
  }
}
