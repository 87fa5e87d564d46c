package streamingdeepdive.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import streamingdeepdive.bench.RecordLatency.Processing;
import streamingdeepdive.bench.StepLatency.Settings;
import streamingdeepdive.recovery.TestDatabase;

/**
 * Compares, in one run, a replay step with our local session against Spark's defaults, the stream
 * against the batch job, micro-batches against continuous processing, and the upsert into a
 * database against an append. Each candidate runs in a JVM of its own, in turns; what is printed
 * are medians and their ratios.
 */
public final class Benchmark {
  private static final int ROUNDS = 3;

  private Benchmark() {}

  /** Takes no arguments; runs for about half an hour. */
  public static void main(String[] args) throws Exception {
    printSteps();
    printThroughput();
    printRecords();
    printUpserts();
  }

  private static void printSteps() throws Exception {
    Map<Settings, List<double[]>> runs = new EnumMap<>(Settings.class);
    for (int round = 0; round < ROUNDS; round++) {
      for (Settings settings : Settings.values()) {
        String[] steps =
            settings == Settings.DEFAULTS ? new String[] {"1", "2"} : new String[] {"20", "20"};
        runs.computeIfAbsent(settings, key -> new ArrayList<>())
            .addAll(child(StepLatency.class, settings.name(), steps[0], steps[1]));
      }
    }
    System.out.println("A file of one row, windowed totals, until the query is idle");
    double ours = median(runs.get(Settings.OURS), 0);
    runs.forEach(
        (settings, results) ->
            System.out.printf(
                "%-15s %6.0f ms  %5.1f times ours  %5.1f processes forked per micro-batch%n",
                settings, median(results, 0), median(results, 0) / ours, median(results, 1)));
  }

  private static void printThroughput() throws Exception {
    List<double[]> rounds = child(Throughput.class, "2", "5");
    double batch = median(rounds, 0);
    System.out.println("2 million events in 20 files, events per second against one batch job");
    System.out.printf("batch job            %4.2f (%.1f s)%n", 1.0, batch);
    System.out.printf("all in a micro-batch %4.2f%n", batch / median(rounds, 1));
    System.out.printf("a file a micro-batch %4.2f%n", batch / median(rounds, 2));
  }

  /** The goal is at least half of the append on PostgreSQL. */
  private static void printUpserts() throws Exception {
    System.out.printf("%d totals in one micro-batch%n", UpsertThroughput.ROWS);
    for (TestDatabase database : TestDatabase.values()) {
      List<double[]> rounds = child(UpsertThroughput.class, database.name(), "2", "5");
      double append = median(rounds, 1);
      double upsert = median(rounds, 2);
      System.out.printf(
          "%-10s upsert %6.0f rows/s, append %6.0f rows/s, upsert %.2f times append (%.1f s of"
              + " both compute the totals)%n",
          database,
          UpsertThroughput.ROWS / upsert,
          UpsertThroughput.ROWS / append,
          append / upsert,
          median(rounds, 0));
    }
  }

  /** The goals are medians of 250 ms for micro-batches and 20 ms for continuous processing. */
  private static void printRecords() throws Exception {
    Map<String, List<double[]>> runs = new TreeMap<>();
    for (int round = 0; round < ROUNDS; round++) {
      for (Processing processing : Processing.values()) {
        for (String fetchWait : List.of("500", "10")) {
          runs.computeIfAbsent(processing + ", fetch wait " + fetchWait, key -> new ArrayList<>())
              .addAll(child(RecordLatency.class, processing.name(), fetchWait, "50", "200"));
        }
      }
    }
    System.out.println("A record from topic to topic, on a broker in the same JVM");
    runs.forEach(
        (name, results) ->
            System.out.printf(
                "%-27s median %6.0f ms, 99th percentile %6.0f ms%n",
                name, median(results, 0), median(results, 1)));
  }

  /** Runs a class in a child JVM; each line that it prints is one result of some numbers. */
  private static List<double[]> child(Class<?> main, String... args)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(args));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    List<double[]> results =
        process
            .inputReader()
            .lines()
            .map(line -> Arrays.stream(line.split(" ")).mapToDouble(Double::parseDouble).toArray())
            .toList();
    if (process.waitFor() != 0) {
      throw new IllegalStateException(main.getSimpleName() + " failed: " + String.join(" ", args));
    }
    return results;
  }

  private static double median(List<double[]> results, int number) {
    double[] sorted = results.stream().mapToDouble(result -> result[number]).sorted().toArray();
    return sorted[sorted.length / 2];
  }
}
