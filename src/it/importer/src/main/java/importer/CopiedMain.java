package importer;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.window;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;
import streamingdeepdive.app.JavaRuntime;
import streamingdeepdive.lesson.FileSource;

/** WindowedAggregation and its main, with what the README puts in the place of the app. */
public final class CopiedMain {
  private CopiedMain() {}

  static Dataset<Row> buildQuery(Dataset<Row> events) {
    return events
        .withWatermark("event_time", "10 minutes")
        .groupBy(window(col("event_time"), "5 minutes").as("window"), col("region"))
        .agg(sum("amount").as("total_amount"));
  }

  public static void main(String[] args) throws Exception {
    String input = args[0];
    String checkpoint = args[1];

    JavaRuntime.prepare(); // Spark needs packages of the JDK that are closed by default
    SparkSession spark = SparkSession.builder().master("local[2]").appName("totals").getOrCreate();
    Dataset<Row> sales = FileSource.read(spark, input);
    StreamingQuery query =
        buildQuery(sales)
            .writeStream()
            .outputMode(OutputMode.Update())
            .format("console")
            .option("checkpointLocation", checkpoint)
            .trigger(Trigger.AvailableNow()) // takes what is there, and ends
            .start();
    query.awaitTermination();
    spark.stop();
  }
}
