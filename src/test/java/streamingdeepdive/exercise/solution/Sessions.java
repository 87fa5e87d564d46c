package streamingdeepdive.exercise.solution;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.session_window;
import static org.apache.spark.sql.functions.when;

import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** Spark merges sessions of a region that overlap, and closes one when the watermark reaches it. */
public final class Sessions {
  private Sessions() {}

  public static Dataset<Row> buildQuery(Dataset<Row> sales) {
    Column pause = when(col("amount").geq(100), "15 minutes").otherwise("5 minutes");
    return sales
        .withWatermark("event_time", "10 minutes")
        .groupBy(session_window(col("event_time"), pause).as("window"), col("region"))
        .agg(count(lit(1)).as("sales"));
  }
}
