package streamingdeepdive.exercise.solution;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.session_window;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** Spark merges sessions of a region that overlap, and closes one when the watermark reaches it. */
public final class Sessions {
  private Sessions() {}

  public static Dataset<Row> buildQuery(Dataset<Row> sales) {
    return sales
        .withWatermark("event_time", "10 minutes")
        .groupBy(session_window(col("event_time"), "5 minutes").as("window"), col("region"))
        .agg(count(lit(1)).as("sales"));
  }
}
