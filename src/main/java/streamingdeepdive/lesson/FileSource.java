package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.sum;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.OutputMode;
import streamingdeepdive.app.StreamingApp;

public final class FileSource {
  public static final String SCHEMA = "event_time TIMESTAMP, region STRING, amount DOUBLE";
  public static final int FILES_PER_TRIGGER = 1;

  private FileSource() {}

  public static Dataset<Row> read(SparkSession spark, String directory) {
    return read(spark, directory, FILES_PER_TRIGGER);
  }

  public static Dataset<Row> read(SparkSession spark, String directory, int filesPerTrigger) {
    if (filesPerTrigger < 1) {
      throw new IllegalArgumentException(
          "filesPerTrigger is " + filesPerTrigger + "; give the number of files, 1 or more");
    }
    return spark
        .readStream()
        .schema(SCHEMA)
        .option("maxFilesPerTrigger", filesPerTrigger)
        .option("timeZone", "UTC")
        .json(directory);
  }

  public static Dataset<Row> readTable(SparkSession spark, String directory) {
    return spark.read().schema(SCHEMA).option("timeZone", "UTC").json(directory);
  }

  public static Dataset<Row> buildQuery(Dataset<Row> events) {
    return events
        .groupBy(col("region"))
        .agg(count(lit(1)).as("sales"), sum("amount").as("total_amount"));
  }

  public static void main(String[] args) {
    StreamingApp.run(
        FileSource.class,
        "Shows that a stream and the finished table of the same files end in the same rows.",
        args,
        app -> {
          Dataset<Row> stream = buildQuery(read(app.spark(), app.input()));
          app.print(stream.writeStream().outputMode(OutputMode.Complete()));
          Dataset<Row> table = buildQuery(readTable(app.spark(), app.input()));
          app.print("the same query over the finished table", table);
        });
  }
}
