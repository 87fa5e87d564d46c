package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.window;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.OutputMode;
import streamingdeepdive.app.StreamingApp;

public final class WindowedAggregation {
  public static final String DELAY_THRESHOLD = "10 minutes";
  public static final String WINDOW_DURATION = "5 minutes";

  private WindowedAggregation() {}

  public static Dataset<Row> buildQuery(Dataset<Row> events) {
    return buildQuery(events, DELAY_THRESHOLD, WINDOW_DURATION);
  }

  public static Dataset<Row> buildQuery(
      Dataset<Row> events, String delayThreshold, String windowDuration) {
    return events
        .withWatermark("event_time", delayThreshold)
        .groupBy(window(col("event_time"), windowDuration).as("window"), col("region"))
        .agg(sum("amount").as("total_amount"));
  }

  public static void main(String[] args) {
    StreamingApp.run(
        WindowedAggregation.class,
        "Prints the total amount per 5-minute window and region.",
        args,
        app -> {
          Dataset<Row> events = FileSource.read(app.spark(), app.input());
          Dataset<Row> totals = buildQuery(events);
          app.print(totals.writeStream().outputMode(OutputMode.Update()));
        });
  }
}
