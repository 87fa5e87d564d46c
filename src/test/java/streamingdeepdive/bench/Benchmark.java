package streamingdeepdive.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider;
import streamingdeepdive.bench.RecordLatency.Processing;
import streamingdeepdive.bench.StepLatency.Settings;
import streamingdeepdive.lesson.StateStores;
import streamingdeepdive.recovery.TestDatabase;

/**
 * Compares, in one run, a query that has run for long with itself at the beginning, the heap of two
 * state stores, a replay step with our local session with one with the defaults of Spark, the
 * stream with the batch job, and the upsert into a database with an append; with {@code --all} also
 * micro-batches with continuous processing. Each candidate runs in a JVM of its own; what is
 * printed are medians and their ratios.
 */
public final class Benchmark {
  private final boolean all;

  private Benchmark(boolean all) {
    this.all = all;
  }

  /** Takes {@code --all} for more rows, and more rounds per row. */
  public static void main(String[] args) throws Exception {
    if (args.length > 1 || args.length == 1 && !args[0].equals("--all")) {
      throw new IllegalArgumentException("the only argument is --all, not " + List.of(args));
    }
    Benchmark benchmark = new Benchmark(args.length == 1);
    benchmark.printStateOverTime();
    printStateHeap();
    benchmark.printSteps();
    benchmark.printThroughput();
    benchmark.printUpserts();
    if (benchmark.all) {
      printRecords();
    }
  }

  /**
   * The goal is 1.1 or less, for both. With C1 alone, as in the tests: a JVM that still compiles
   * could hide that the query gets slower.
   */
  private void printStateOverTime() throws Exception {
    System.out.println("Windowed totals, micro-batches at the end against the beginning");
    List<String> command =
        new ArrayList<>(List.of("-XX:TieredStopAtLevel=1", StateOverTime.class.getName()));
    command.addAll(all ? List.of("10", "50", "500") : List.of("10", "50"));
    for (double[] run : child(command)) {
      System.out.printf(
          "%2.0f million events  state rows %.2f (%.0f)  time %.2f (%.0f ms)%n",
          run[0] / 1e6, run[2] / run[1], run[2], run[4] / run[3], run[4]);
    }
  }

  private static void printStateHeap() throws Exception {
    System.out.println("Heap in use with 1 million keys in the state");
    double onHeap = 0;
    for (String store :
        List.of(HDFSBackedStateStoreProvider.class.getName(), StateStores.ROCKSDB)) {
      double[] heap = child(StateHeap.class, store).get(0);
      onHeap = onHeap == 0 ? heap[1] : onHeap;
      System.out.printf(
          "%-28s %.2f times the default store's (%.0f MB, %.0f state rows)%n",
          store.replaceFirst(".*\\.", ""), heap[1] / onHeap, heap[1] / 1e6, heap[0]);
    }
  }

  private void printSteps() throws Exception {
    System.out.println("A file of one row until the query is idle (DEFAULTS: the first, not warm)");
    double ours = 0;
    for (Settings settings : Settings.values()) {
      if (settings == Settings.TWO_PARTITIONS && !all) {
        continue;
      }
      // With Spark's defaults a step takes so long that the first is enough to tell.
      boolean isFirst = settings == Settings.DEFAULTS;
      double[] step =
          child(StepLatency.class, settings.name(), isFirst ? "0" : "10", isFirst ? "1" : "10")
              .get(0);
      ours = settings == Settings.OURS ? step[0] : ours;
      System.out.printf(
          "%-15s %6.0f ms  %5.1f times ours  %5.1f processes forked per micro-batch%n",
          settings, step[0], step[0] / ours, step[1]);
    }
  }

  private void printThroughput() throws Exception {
    List<double[]> rounds = child(Throughput.class, "1", all ? "5" : "3");
    double batch = median(rounds, 0);
    System.out.println("1 million events in 10 files, events per second against one batch job");
    System.out.printf("batch job            %4.2f (%.1f s)%n", 1.0, batch);
    System.out.printf("all in a micro-batch %4.2f%n", batch / median(rounds, 1));
    System.out.printf("a file a micro-batch %4.2f%n", batch / median(rounds, 2));
  }

  /** The goal is at least half of the append on PostgreSQL. */
  private void printUpserts() throws Exception {
    System.out.printf("%d totals in one micro-batch%n", UpsertThroughput.ROWS);
    for (TestDatabase database :
        all ? TestDatabase.values() : new TestDatabase[] {TestDatabase.POSTGRESQL}) {
      List<double[]> rounds = child(UpsertThroughput.class, database.name(), "1", all ? "5" : "3");
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
    System.out.println("A record from topic to topic, on a broker in the same JVM");
    for (String fetchWait : List.of("10", "500")) {
      double microBatch = 0;
      for (Processing processing : Processing.values()) {
        double[] millis =
            child(RecordLatency.class, processing.name(), fetchWait, "20", "100").get(0);
        microBatch = processing == Processing.MICRO_BATCH ? millis[0] : microBatch;
        System.out.printf(
            "%-11s fetch wait %3s ms  %4.2f times micro-batch (%.0f ms, 99th percentile %.0f ms)%n",
            processing, fetchWait, millis[0] / microBatch, millis[0], millis[1]);
      }
    }
  }

  private static List<double[]> child(Class<?> main, String... args)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(main.getName()));
    command.addAll(List.of(args));
    return child(command);
  }

  /** Runs a class in a child JVM; each line that it prints is one result of some numbers. */
  private static List<double[]> child(List<String> flagsMainAndArgs)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(flagsMainAndArgs);
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    List<double[]> results =
        process
            .inputReader()
            .lines()
            .map(line -> Arrays.stream(line.split(" ")).mapToDouble(Double::parseDouble).toArray())
            .toList();
    if (process.waitFor() != 0) {
      throw new IllegalStateException("this failed: " + flagsMainAndArgs);
    }
    return results;
  }

  private static double median(List<double[]> results, int number) {
    double[] sorted = results.stream().mapToDouble(result -> result[number]).sorted().toArray();
    return sorted[sorted.length / 2];
  }
}
