package streamingdeepdive.picture;

import static org.apache.spark.sql.streaming.OutputMode.Update;
import static streamingdeepdive.testkit.StreamScript.testStream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.StateOperatorProgress;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import streamingdeepdive.lesson.Sales;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.Step;

/** What a query reports while the sample data is replayed file by file, in update mode. */
final class SampleRun {
  /** Whether a sale is in the totals of its windows, as the output of its micro-batch shows. */
  enum Fate {
    COUNTED,
    LATE_BUT_COUNTED,
    DROPPED_FROM_SOME,
    DROPPED
  }

  record Window(Instant start, Instant end) implements Comparable<Window> {
    @Override
    public int compareTo(Window other) {
      return start.compareTo(other.start);
    }
  }

  record Sale(Instant time, String region, double amount, Fate fate) {}

  /** A file, and the watermark after it. */
  record File(String name, List<Sale> sales, Instant watermark, long dropped) {}

  private record Key(Window window, String region) {}

  private final List<File> files = new ArrayList<>();
  private final Set<Window> windows = new TreeSet<>();
  private final Duration length;
  private final Duration slide;

  private SampleRun(Duration length, Duration slide) {
    this.length = length;
    this.slide = slide;
  }

  /**
   * Runs a query.
   *
   * @param query totals of windows with this length and slide over {@code sales}
   */
  static SampleRun of(FileStream sales, Dataset<Row> query, Duration length, Duration slide)
      throws IOException {
    SampleRun run = new SampleRun(length, slide);
    List<Set<Key>> updated = new ArrayList<>();
    List<StreamingQueryProgress[]> progress = new ArrayList<>();
    Step[] steps = Sales.sampleData(sales);
    for (Step step : steps) {
      step.rowsSatisfy(rows -> updated.add(keys(rows)));
      step.satisfies(
          (any, batches) -> progress.add(batches.toArray(StreamingQueryProgress[]::new)));
    }
    testStream(query, Update(), steps);

    try (Stream<Path> paths = Files.list(Path.of("sample-data/sales"))) {
      for (Path path : paths.sorted().toList()) {
        int file = run.files.size();
        run.add(path, updated.get(file), progress.get(file));
      }
    }
    return run;
  }

  private static Set<Key> keys(List<Row> totals) {
    Set<Key> keys = new HashSet<>();
    for (Row total : totals) {
      Row window = total.getStruct(0);
      keys.add(
          new Key(
              new Window(window.getTimestamp(0).toInstant(), window.getTimestamp(1).toInstant()),
              total.getString(1)));
    }
    return keys;
  }

  private void add(Path path, Set<Key> updated, StreamingQueryProgress[] batches)
      throws IOException {
    updated.forEach(key -> windows.add(key.window()));
    Instant before = files.isEmpty() ? Instant.EPOCH : files.get(files.size() - 1).watermark();
    List<Sale> sales = new ArrayList<>();
    for (String line : Files.readAllLines(path)) {
      JsonNode fields = new ObjectMapper().readTree(line);
      Instant time = Instant.parse(fields.get("event_time").asText());
      String region = fields.get("region").asText();
      Fate fate = fate(time, region, updated, before);
      sales.add(new Sale(time, region, fields.get("amount").asDouble(), fate));
    }
    Instant watermark = Instant.parse(batches[batches.length - 1].eventTime().get("watermark"));
    long dropped =
        Arrays.stream(batches)
            .flatMap(batch -> Arrays.stream(batch.stateOperators()))
            .mapToLong(StateOperatorProgress::numRowsDroppedByWatermark)
            .sum();
    files.add(new File(path.getFileName().toString(), sales, watermark, dropped));
  }

  private Fate fate(Instant time, String region, Set<Key> updated, Instant watermark) {
    long all = length.dividedBy(slide);
    long counted =
        windowsOf(time).filter(window -> updated.contains(new Key(window, region))).count();
    if (counted < all) {
      return counted == 0 ? Fate.DROPPED : Fate.DROPPED_FROM_SOME;
    }
    return time.isBefore(watermark) ? Fate.LATE_BUT_COUNTED : Fate.COUNTED;
  }

  private Stream<Window> windowsOf(Instant time) {
    long step = slide.toMillis();
    Instant last = Instant.ofEpochMilli(Math.floorDiv(time.toEpochMilli(), step) * step);
    return Stream.iterate(last, start -> start.minus(slide))
        .limit(length.dividedBy(slide))
        .map(start -> new Window(start, start.plus(length)));
  }

  List<File> files() {
    return files;
  }

  /** Those that a total came out for. */
  Set<Window> windows() {
    return windows;
  }

  /** The number of the file with the first sale of a window. */
  int opening(Window window) {
    return first(file -> file.sales().stream().anyMatch(sale -> isIn(window, sale)));
  }

  /** The number of the file after which a window is closed, or the number of files. */
  int closing(Window window) {
    return first(file -> !file.watermark().isBefore(window.end()));
  }

  private boolean isIn(Window window, Sale sale) {
    return windowsOf(sale.time()).anyMatch(window::equals);
  }

  private int first(Predicate<File> condition) {
    for (int i = 0; i < files.size(); i++) {
      if (condition.test(files.get(i))) {
        return i;
      }
    }
    return files.size();
  }
}
