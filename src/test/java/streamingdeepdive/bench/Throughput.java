package streamingdeepdive.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.apache.hadoop.fs.FileUtil;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;
import streamingdeepdive.app.DirectoryFeed;
import streamingdeepdive.app.LocalSpark;
import streamingdeepdive.app.RowCollector;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.WindowedAggregation;

/**
 * Times the windowed totals of 1 million events in 10 files, as one batch job and as a stream.
 * Prints the seconds of the batch job, of the stream with all files in one micro-batch, and of the
 * stream with one file per micro-batch.
 */
final class Throughput {
  private static final int FILES = 10;
  private static final int EVENTS_PER_FILE = 100_000;

  private Throughput() {}

  /** Arguments: the rounds to warm up with, the rounds to time. */
  public static void main(String[] args) throws Exception {
    Path directory = Files.createTempDirectory("bench-");
    SparkSession spark = LocalSpark.open("bench");
    try {
      String input = generate(directory.resolve("input"));
      for (int round = -Integer.parseInt(args[0]); round < Integer.parseInt(args[1]); round++) {
        double batch = seconds(() -> batch(spark, input));
        double oneMicroBatch = seconds(() -> stream(spark, input, FILES));
        double oneFile = seconds(() -> stream(spark, input, 1));
        if (round >= 0) {
          System.out.printf("%.3f %.3f %.3f%n", batch, oneMicroBatch, oneFile);
        }
      }
    } finally {
      spark.stop();
      FileUtil.fullyDelete(directory.toFile());
    }
  }

  private static void batch(SparkSession spark, String input) {
    WindowedAggregation.buildQuery(FileSource.readTable(spark, input)).collectAsList();
  }

  private static void stream(SparkSession spark, String input, int filesPerTrigger)
      throws Exception {
    Path checkpoint = Files.createTempDirectory("bench-checkpoint-");
    Dataset<Row> totals =
        WindowedAggregation.buildQuery(FileSource.read(spark, input, filesPerTrigger));
    StreamingQuery query =
        totals
            .writeStream()
            .outputMode(OutputMode.Update())
            .foreachBatch(new RowCollector()::collect)
            .option("checkpointLocation", checkpoint.toString())
            .trigger(Trigger.AvailableNow())
            .start();
    query.awaitTermination();
    FileUtil.fullyDelete(checkpoint.toFile());
  }

  @FunctionalInterface
  private interface Job {
    void run() throws Exception;
  }

  private static double seconds(Job job) throws Exception {
    long start = System.nanoTime();
    job.run();
    return (System.nanoTime() - start) / 1e9;
  }

  /** Twelve hours of events, in order. */
  private static String generate(Path input) {
    DirectoryFeed landing = new DirectoryFeed(input);
    Random random = new Random(1);
    String[] regions = {"ap", "eu", "us"};
    for (int file = 0; file < FILES; file++) {
      StringBuilder lines = new StringBuilder();
      for (int i = 0; i < EVENTS_PER_FILE; i++) {
        long second = (file * (long) EVENTS_PER_FILE + i) * 43_200 / (FILES * EVENTS_PER_FILE);
        lines.append(
            "{\"event_time\":\"2026-01-01T%02d:%02d:%02dZ\",\"region\":\"%s\",\"amount\":%s}\n"
                .formatted(
                    second / 3600,
                    second / 60 % 60,
                    second % 60,
                    regions[random.nextInt(regions.length)],
                    random.nextInt(400) * 0.25));
      }
      landing.land("%02d.json".formatted(file), lines.toString());
    }
    return landing.uri();
  }
}
