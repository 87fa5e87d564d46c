package streamingdeepdive.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.apache.hadoop.fs.FileUtil;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.DirectoryFeed;
import streamingdeepdive.app.JavaRuntime;
import streamingdeepdive.app.LocalSpark;
import streamingdeepdive.app.RowCollector;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.WindowedAggregation;

/**
 * Times one step of a replay with one session's settings: a file of one row lands, the windowed
 * totals of it come out. Prints the median in milliseconds and the processes forked per
 * micro-batch.
 */
final class StepLatency {
  /** The sessions that are compared. */
  enum Settings {
    OURS,
    TWO_PARTITIONS,
    DEFAULTS;

    SparkSession open() {
      if (this == OURS) {
        return LocalSpark.open("bench");
      }
      JavaRuntime.prepare();
      SparkSession.Builder builder = SparkSession.builder().master("local[2]");
      return this == TWO_PARTITIONS
          ? builder.config("spark.sql.shuffle.partitions", 2).getOrCreate()
          : builder.getOrCreate();
    }
  }

  private StepLatency() {}

  /** Arguments: the settings, the steps to warm up with, the steps to time. */
  public static void main(String[] args) throws Exception {
    Path directory = Files.createTempDirectory("bench-");
    SparkSession spark = Settings.valueOf(args[0]).open();
    try {
      int warmUp = Integer.parseInt(args[1]);
      int timed = Integer.parseInt(args[2]);
      measure(spark, directory, warmUp, timed);
    } finally {
      spark.stop();
      FileUtil.fullyDelete(directory.toFile());
    }
  }

  private static void measure(SparkSession spark, Path directory, int warmUp, int timed)
      throws Exception {
    DirectoryFeed landing = new DirectoryFeed(directory.resolve("input"));
    StreamingQuery query =
        WindowedAggregation.buildQuery(FileSource.read(spark, landing.uri()))
            .writeStream()
            .outputMode(OutputMode.Update())
            .foreachBatch(new RowCollector()::collect)
            .option("checkpointLocation", directory.resolve("checkpoint").toString())
            .start();
    for (int i = 0; i < warmUp; i++) {
      step(landing, query, i);
    }
    long lastWarmUp = warmUp == 0 ? -1 : query.lastProgress().batchId();
    long[] nanos = new long[timed];
    try (Recording recording = new Recording()) {
      recording.enable("jdk.ProcessStart");
      recording.start();
      for (int i = 0; i < timed; i++) {
        nanos[i] = step(landing, query, warmUp + i);
      }
      recording.stop();
      Path file = directory.resolve("forks.jfr");
      recording.dump(file);
      double forks = RecordingFile.readAllEvents(file).size();
      long microBatches = query.lastProgress().batchId() - lastWarmUp;
      Arrays.sort(nanos);
      System.out.printf(
          "%d %.1f%n", TimeUnit.NANOSECONDS.toMillis(nanos[timed / 2]), forks / microBatches);
    }
    query.stop();
  }

  /** Each row is a minute later than the one before, so that a no-data micro-batch follows. */
  private static long step(DirectoryFeed landing, StreamingQuery query, int minute) {
    String row =
        "{\"event_time\":\"2026-01-01T%02d:%02d:00Z\",\"region\":\"eu\",\"amount\":1.0}\n"
            .formatted(minute / 60, minute % 60);
    long start = System.nanoTime();
    landing.land(minute + ".json", row);
    query.processAllAvailable();
    return System.nanoTime() - start;
  }
}
