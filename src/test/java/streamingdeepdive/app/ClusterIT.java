package streamingdeepdive.app;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.commons.lang3.StringUtils;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import streamingdeepdive.lesson.Deduplication;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.KafkaSource;
import streamingdeepdive.lesson.ParquetSink;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.KafkaStream;
import streamingdeepdive.testkit.StreamingExtension;

/** Lessons that are submitted to a cluster, and whose workers and drivers are killed. */
@ExtendWith(StreamingExtension.class)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "Windows has no SIGTERM")
class ClusterIT {
  private static final int SIGTERM = 128 + 15;
  private static final long LIMIT_SECONDS = 120;

  /** It closes all windows of before. */
  private static final String CLOSING =
      """
      {"event_time":"2026-01-02T00:00:00Z","region":"none","amount":0.0}
      """;

  /**
   * The first three have different numbers of lines, and of those only the first moves the
   * watermark. The last sees the watermark of the one before.
   */
  private static final List<String> FILES =
      List.of(
          """
          {"event_time":"2026-01-01T12:14:00Z","region":"eu","amount":1.0}
          {"event_time":"2026-01-01T12:11:00Z","region":"us","amount":2.0}
          """,
          """
          {"event_time":"2026-01-01T12:14:00Z","region":"eu","amount":1.0}
          {"event_time":"2026-01-01T12:12:00Z","region":"eu","amount":4.0}
          half a line
          {"event_time":"2026-01-01T12:09:00Z","region":"us","amount":8.0}
          """,
          """
          {"event_time":"2026-01-01T12:12:00Z","region":"eu","amount":4.0}
          {"event_time":"2026-01-01T12:11:00Z","region":"us","amount":2.0}
          {"event_time":"2026-01-01T12:06:00Z","region":"eu","amount":64.0}
          {"event_time":"2026-01-01T12:08:00Z","region":"us","amount":128.0}
          {"event_time":"2026-01-01T12:14:00Z","region":"ap","amount":256.0}
          """,
          CLOSING,
          CLOSING);

  /**
   * @param queries the names of those that it runs
   */
  private record Lesson(Class<?> main, List<String> options, String... queries) {}

  private static final List<Lesson> LESSONS =
      List.of(
          new Lesson(WindowedAggregation.class, List.of("input", "checkpoint"), "totals"),
          new Lesson(Deduplication.class, List.of("input", "checkpoint"), "sales"),
          new Lesson(
              ParquetSink.class, List.of("input", "output", "checkpoint"), "final", "latest"),
          new Lesson(
              KafkaSource.class,
              List.of("bootstrap-servers", "topic", "checkpoint"),
              "totals",
              "rejected"));

  @TempDir Path place;

  private final Map<Lesson, ChildJvm> drivers = new LinkedHashMap<>();
  private final Map<Lesson, String> printed = new HashMap<>();

  @Test
  void workersAndDriversAreKilledAndTheRowsAreThoseOfTheBatchQuery(
      @Columns(FileSource.SCHEMA) KafkaStream sales, SparkSession spark) throws Exception {
    DirectoryFeed input = new DirectoryFeed(place.resolve("input"));
    Map<String, String> places = new HashMap<>();
    places.put("input", input.uri());
    places.put("output", place.resolve("output").toString());
    places.put("bootstrap-servers", sales.topic().bootstrapServers());
    places.put("topic", sales.topic().name());

    try (StandaloneCluster cluster = StandaloneCluster.start(place.resolve("cluster"))) {
      List<ChildJvm> workers =
          new ArrayList<>(List.of(cluster.startWorker(), cluster.startWorker()));
      land(0, input, sales);
      submit(cluster, places, 2);

      land(1, input, sales);
      StandaloneCluster.kill(workers.remove(0));
      workers.add(cluster.startWorker());
      awaitMicroBatches(4);

      workers.forEach(StandaloneCluster::kill); // so that no micro-batch ends
      try (WatchService begun = watchOffsets()) {
        land(2, input, sales);
        awaitBegun(begun);
      }
      for (Lesson lesson : LESSONS) {
        drivers.get(lesson).kill();
        printed.put(lesson, drivers.get(lesson).awaitOut());
      }
      cluster.startWorker();
      submit(cluster, places, 5);
      land(3, input, sales);
      awaitMicroBatches(1);
      land(4, input, sales);
      awaitMicroBatches(1);
      for (ChildJvm driver : drivers.values()) {
        driver.terminate();
        assertThat(driver.awaitExitCode()).isEqualTo(SIGTERM);
      }
      for (Lesson lesson : LESSONS) {
        printed.merge(lesson, drivers.get(lesson).awaitOut(), String::concat);
      }
    }

    Dataset<Row> events = FileSource.readTable(spark, input.uri());
    Dataset<Row> totals = WindowedAggregation.buildQuery(events);
    String output = places.get("output");
    assertThat(lastTotals(printed.get(LESSONS.get(0)))).isEqualTo(lastTotals(shown(totals)));
    assertThat(rows(printed.get(LESSONS.get(1))))
        .containsExactlyInAnyOrderElementsOf(rows(shown(Deduplication.buildQuery(events))));
    assertThat(ParquetSink.latest(spark, output + "/latest").collectAsList())
        .containsExactlyInAnyOrderElementsOf(totals.collectAsList());
    assertThat(ParquetSink.read(spark, output + "/final").collectAsList())
        .containsExactlyInAnyOrderElementsOf(
            totals.where(col("region").notEqual("none")).collectAsList());
    assertThat(lastTotals(printed.get(LESSONS.get(3)))).isEqualTo(lastTotals(shown(totals)));
    assertThat(printed.get(LESSONS.get(3))).containsOnlyOnce("|half a line|");
  }

  /** One by one: none has to wait long for a processor or a broker. */
  private void submit(StandaloneCluster cluster, Map<String, String> places, int rows)
      throws Exception {
    for (Lesson lesson : LESSONS) {
      places.put("checkpoint", checkpoint(lesson).toString());
      Map<String, String> options = new LinkedHashMap<>();
      lesson.options().forEach(option -> options.put(option, places.get(option)));
      drivers.put(lesson, cluster.submit(ReadmeCommand.submit(lesson.main(), options)));
      awaitMicroBatches(lesson, rows);
    }
  }

  private Path checkpoint(Lesson lesson) {
    return place.resolve("checkpoint").resolve(lesson.main().getSimpleName());
  }

  private static void land(int file, DirectoryFeed input, KafkaStream sales) {
    sales.addValues(FILES.get(file).lines().toArray(String[]::new));
    input.land(file + ".json", FILES.get(file));
  }

  private void awaitMicroBatches(int rows) throws Exception {
    for (Lesson lesson : LESSONS) {
      awaitMicroBatches(lesson, rows);
    }
  }

  /** Reads what a driver prints until each of its queries has taken in a file of so many rows. */
  private void awaitMicroBatches(Lesson lesson, int rows) throws Exception {
    for (int i = 0; i < lesson.queries().length; i++) {
      drivers.get(lesson).awaitLine(", rows read " + rows);
      drivers.get(lesson).awaitLine("watermark ");
    }
  }

  /** Watches each query for the file that begins a micro-batch. */
  private WatchService watchOffsets() throws IOException {
    WatchService service = FileSystems.getDefault().newWatchService();
    for (Lesson lesson : LESSONS) {
      for (String query : lesson.queries()) {
        checkpoint(lesson).resolve(query).resolve("offsets").register(service, ENTRY_CREATE);
      }
    }
    return service;
  }

  private static void awaitBegun(WatchService service) throws InterruptedException {
    Set<WatchKey> begun = new HashSet<>();
    while (begun.size() < LESSONS.stream().mapToInt(lesson -> lesson.queries().length).sum()) {
      WatchKey key = service.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
      assertThat(key).as("a micro-batch begins").isNotNull();
      if (key.pollEvents().stream().anyMatch(event -> event.context().toString().matches("\\d+"))) {
        begun.add(key);
      }
      key.reset();
    }
  }

  private static String shown(Dataset<Row> rows) {
    return rows.showString(Integer.MAX_VALUE, 0, false);
  }

  /** The lines of tables, without headers and padding. */
  private static List<String> rows(String printed) {
    return printed
        .lines()
        .filter(line -> line.startsWith("|") && !line.contains("|region"))
        .map(line -> line.replaceAll(" +\\|", "|"))
        .toList();
  }

  /** The amount that was printed last for each window and region. */
  private static Map<String, String> lastTotals(String printed) {
    Map<String, String> totals = new HashMap<>();
    for (String row : rows(printed)) {
      if (row.startsWith("|{")) {
        String total = StringUtils.chop(row);
        totals.put(
            StringUtils.substringBeforeLast(total, "|"),
            StringUtils.substringAfterLast(total, "|"));
      }
    }
    return totals;
  }
}
