package streamingdeepdive.bench;

import static org.apache.spark.sql.functions.col;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.hadoop.fs.FileUtil;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.Trigger;
import streamingdeepdive.app.DirectoryFeed;
import streamingdeepdive.app.LocalSpark;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.JdbcSink;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.recovery.TestDatabase;

/**
 * Times a micro-batch of 200,000 totals, each of a region of its own: computed and left, appended
 * to a table as Spark's JDBC sink does, and upserted. Prints the seconds of the three.
 */
final class UpsertThroughput {
  static final int ROWS = 200_000;

  private UpsertThroughput() {}

  /** Arguments: the database, the rounds to warm up with, the rounds to time. */
  public static void main(String[] args) throws Exception {
    Path directory = Files.createTempDirectory("bench-");
    SparkSession spark = LocalSpark.open("bench");
    try {
      String input = generate(directory.resolve("input"));
      TestDatabase database = TestDatabase.valueOf(args[0]);
      for (int round = -Integer.parseInt(args[1]); round < Integer.parseInt(args[2]); round++) {
        Path checkpoints = directory.resolve("round" + round);
        Dataset<Row> totals = WindowedAggregation.buildQuery(FileSource.read(spark, input));
        Map<String, String> options = options(database);
        String upserted = checkpoints.resolve("upserted").toString();
        double computed =
            seconds(totals.writeStream().format("noop"), checkpoints.resolve("computed"));
        double appended =
            seconds(
                totals.writeStream().foreachBatch(append(options)),
                checkpoints.resolve("appended"));
        double upsert =
            seconds(JdbcSink.buildQuery(totals, options, "totals", upserted), Path.of(upserted));
        if (round >= 0) {
          System.out.printf("%.3f %.3f %.3f%n", computed, appended, upsert);
        }
      }
    } finally {
      spark.stop();
      FileUtil.fullyDelete(directory.toFile());
    }
  }

  /** The driver of PostgreSQL sends many rows at once in both cases. */
  private static Map<String, String> options(TestDatabase database) throws Exception {
    Map<String, String> options = new HashMap<>(database.create());
    if (database == TestDatabase.POSTGRESQL) {
      options.put("reWriteBatchedInserts", "true");
    }
    return options;
  }

  private static VoidFunction2<Dataset<Row>, Long> append(Map<String, String> options) {
    Properties properties = new Properties();
    properties.putAll(options);
    return (batch, batchId) ->
        batch
            .select(
                col("window.start").as("window_start"),
                col("window.end").as("window_end"),
                col("region"),
                col("total_amount"))
            .write()
            .mode(SaveMode.Append)
            .jdbc(options.get("url"), "appended", properties);
  }

  private static double seconds(DataStreamWriter<Row> writer, Path checkpoint) throws Exception {
    long start = System.nanoTime();
    writer
        .outputMode(OutputMode.Update())
        .option("checkpointLocation", checkpoint.toString())
        .trigger(Trigger.AvailableNow())
        .start()
        .awaitTermination();
    return (System.nanoTime() - start) / 1e9;
  }

  private static String generate(Path input) {
    DirectoryFeed landing = new DirectoryFeed(input);
    StringBuilder lines = new StringBuilder();
    for (int region = 0; region < ROWS; region++) {
      lines.append(
          "{\"event_time\":\"2026-01-01T12:00:00Z\",\"region\":\"r%06d\",\"amount\":0.25}\n"
              .formatted(region));
    }
    landing.land("sales.json", lines.toString());
    return landing.uri();
  }
}
