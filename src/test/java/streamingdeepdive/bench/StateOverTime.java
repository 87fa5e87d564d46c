package streamingdeepdive.bench;

import static org.apache.spark.sql.functions.expr;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileUtil;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import streamingdeepdive.app.LocalSpark;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.WindowedAggregation;

/**
 * Whether a windowed query with a watermark needs more state or time the longer it has run. A
 * micro-batch is a file of 20,000 events: five minutes of event time, one event in 1,000 regions
 * every 0.3 seconds. Prints the events, then the state rows and the milliseconds per micro-batch,
 * each at the beginning and at the end.
 */
final class StateOverTime {
  private static final int EVENTS_PER_FILE = 20_000;

  /** The first files fill the state: the delay threshold spans two of them. */
  private static final int FILES_TO_FILL = 5;

  private StateOverTime() {}

  /** Arguments: the files of each run. The first run only warms up. */
  public static void main(String[] args) throws Exception {
    Path directory = Files.createTempDirectory("bench-");
    SparkSession spark = LocalSpark.open("bench");
    // By default a query forgets all but the progress of its last 100 micro-batches.
    spark.conf().set("spark.sql.streaming.numRecentProgressUpdates", 100_000);
    try {
      for (int run = 0; run < args.length; run++) {
        Path input = directory.resolve("input" + run);
        generate(spark, input, Integer.parseInt(args[run]), EVENTS_PER_FILE);
        List<StreamingQueryProgress> progress =
            run(spark, input, directory.resolve("checkpoint" + run));
        if (run > 0) {
          System.out.print((long) progress.size() * EVENTS_PER_FILE + " ");
          print(progress.subList(FILES_TO_FILL, progress.size()));
        }
      }
    } finally {
      LocalSpark.close(spark);
      FileUtil.fullyDelete(directory.toFile());
    }
  }

  private static List<StreamingQueryProgress> run(SparkSession spark, Path input, Path checkpoint)
      throws Exception {
    StreamingQuery query =
        WindowedAggregation.buildQuery(FileSource.read(spark, input.toString()))
            .writeStream()
            .outputMode(OutputMode.Update())
            .format("noop")
            .option("checkpointLocation", checkpoint.toString())
            .start();
    query.processAllAvailable();
    query.stop();
    return Arrays.stream(query.recentProgress()).filter(each -> each.numInputRows() > 0).toList();
  }

  /** Compares the first fifth of the micro-batches with the last. */
  private static void print(List<StreamingQueryProgress> progress) {
    int fifth = progress.size() / 5;
    List<StreamingQueryProgress> first = progress.subList(0, fifth);
    List<StreamingQueryProgress> last = progress.subList(progress.size() - fifth, progress.size());
    ToLongFunction<StreamingQueryProgress> stateRows =
        each -> each.stateOperators()[0].numRowsTotal();
    ToLongFunction<StreamingQueryProgress> millis =
        each -> each.durationMs().get("triggerExecution");
    System.out.printf(
        "%d %d %d %d%n",
        median(first, stateRows),
        median(last, stateRows),
        median(first, millis),
        median(last, millis));
  }

  private static long median(
      List<StreamingQueryProgress> progress, ToLongFunction<StreamingQueryProgress> number) {
    return progress.stream()
        .mapToLong(number)
        .sorted()
        .skip(progress.size() / 2)
        .findFirst()
        .orElseThrow();
  }

  /** Spark writes a partition of the range as a file; the source takes them in this order. */
  static void generate(SparkSession spark, Path input, int files, int eventsPerFile)
      throws Exception {
    spark
        .range(0, (long) files * eventsPerFile, 1, files)
        .select(
            expr("timestamp_millis(unix_millis(TIMESTAMP '2026-01-01') + id * 15) AS event_time"),
            expr("concat('r', lpad(id % 1000, 3, '0')) AS region"),
            expr("id % 400 * 0.25D AS amount"))
        .write()
        .json(input.toString());
    try (Stream<Path> written = Files.list(input)) {
      long second = 0;
      for (Path file : written.sorted().toList()) {
        Files.setLastModifiedTime(file, FileTime.fromMillis(1000 * second++));
      }
    }
  }
}
