package streamingdeepdive.app;

import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.apache.commons.lang3.builder.CompareToBuilder;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StateOperatorProgress;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/** Prints what queries do, after each file of a replay or after each micro-batch. */
@SuppressWarnings("serial") // a listener stays in the driver
final class QueryPrinter extends StreamingQueryListener {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

  private static final Duration LISTENERS_LIMIT = Duration.ofSeconds(60);

  private final PrintStream out = System.out;
  private final SparkSession spark;
  private final Map<String, RowCollector> collectors = new ConcurrentHashMap<>();
  private final Map<UUID, Supplier<Dataset<Row>>> tables = new HashMap<>();
  private final Map<UUID, QueryLog> logs = new ConcurrentHashMap<>();

  QueryPrinter(SparkSession spark) {
    this.spark = spark;
  }

  /** Takes the rows of a micro-batch, as foreachBatch hands them over. */
  void collect(Dataset<Row> batch, Long batchId) {
    String query = batch.sparkSession().sparkContext().getLocalProperty("sql.streaming.queryId");
    collectors.computeIfAbsent(query, id -> new RowCollector()).collect(batch, batchId);
  }

  void show(StreamingQuery query, Supplier<Dataset<Row>> table) {
    tables.put(query.id(), table);
  }

  /**
   * Waits until each query has taken in what is there and each listener has heard of it, and prints
   * what it did.
   *
   * @throws StreamingQueryException if all have died; as long as one lives, it goes on with that
   * @throws TimeoutException if a listener does not return
   */
  void printStep(long rowsToAwait, StreamingQuery... queries)
      throws StreamingQueryException, TimeoutException {
    for (StreamingQuery query : queries) {
      awaitIdle(query, rowsToAwait);
    }
    spark.sparkContext().listenerBus().waitUntilEmpty(LISTENERS_LIMIT.toMillis());
    if (Arrays.stream(queries).allMatch(query -> query.exception().isDefined())) {
      throw queries[0].exception().get();
    }
    for (StreamingQuery query : queries) {
      printName(query);
      if (query.exception().isDefined()) {
        printLine("has died");
      } else {
        printWhatItDid(query);
      }
    }
    printLine("");
  }

  /** Of a query that has ended Spark would wait for ten seconds. */
  private static void awaitIdle(StreamingQuery query, long rowsToAwait) {
    try {
      do {
        if (query.isActive()) {
          query.processAllAvailable();
        }
      } while (query.isActive() && rowsRead(query) < rowsToAwait);
    } catch (Exception e) { // the query's own, which Scala throws undeclared
      if (query.exception().isEmpty()) {
        throw e;
      }
    }
  }

  private void printName(StreamingQuery query) {
    if (query.name() != null) {
      printLine("-- " + query.name());
    }
  }

  private static long rowsRead(StreamingQuery query) {
    return Arrays.stream(query.recentProgress())
        .mapToLong(StreamingQueryProgress::numInputRows)
        .sum();
  }

  private void printWhatItDid(StreamingQuery query) {
    Optional<QueryLog.Entry> entry = log(query).take();
    if (tables.containsKey(query.id())) {
      printRows(tables.get(query.id()).get().collectAsList());
    } else {
      printCollected(query, Long.MAX_VALUE - 1);
    }
    printLine(entry.map(this::text).orElse("no micro-batch"));
  }

  private void printCollected(StreamingQuery query, long lastBatchId) {
    RowCollector collector = collectors.get(query.id().toString());
    if (collector != null) {
      printRows(collector.take(lastBatchId).values().stream().flatMap(List::stream).toList());
    }
  }

  private QueryLog log(StreamingQuery query) {
    return logs.computeIfAbsent(query.runId(), id -> new QueryLog(query));
  }

  /** Prints a micro-batch once it is committed, for a run on data of the user's own. */
  @Override
  public void onQueryProgress(QueryProgressEvent event) {
    StreamingQueryProgress progress = event.progress();
    StreamingQuery query = spark.streams().get(progress.id());
    if (query == null || !QueryLog.hasRun(progress)) {
      return;
    }
    printInput("micro-batch " + progress.batchId() + ", rows read " + progress.numInputRows(), "");
    printName(query);
    printCollected(query, progress.batchId());
    printLine(text(log(query).entry(List.of(progress))));
    printLine("");
  }

  /** Prints what came in; lines end with a line feed. */
  void printInput(String heading, String content) {
    out.println("== " + heading);
    out.print(content);
  }

  /** Prints rows as Spark shows them, in full width, sorted by their values, nulls first. */
  void printRows(List<Row> rows) {
    if (rows.isEmpty()) {
      out.println("(no rows)");
      return;
    }
    List<Row> sorted =
        rows.stream()
            .sorted((a, b) -> new CompareToBuilder().append(values(a), values(b)).toComparison())
            .toList();
    out.print(
        spark.createDataFrame(sorted, rows.get(0).schema()).showString(rows.size(), 0, false));
  }

  private static Object[] values(Row row) {
    return IntStream.range(0, row.size())
        .mapToObj(i -> row.get(i) instanceof Row struct ? values(struct) : row.get(i))
        .toArray();
  }

  /** Says what the micro-batches of a step did beside putting out rows. */
  String text(QueryLog.Entry entry) {
    StringBuilder text = new StringBuilder("watermark " + watermark(entry));
    StateOperatorProgress[] state = entry.last().stateOperators();
    if (state.length > 0) {
      List<StateOperatorProgress> all =
          entry.progress().stream().flatMap(p -> Arrays.stream(p.stateOperators())).toList();
      text.append(", state rows " + sum(List.of(state), StateOperatorProgress::numRowsTotal));
      text.append(" (" + sum(all, StateOperatorProgress::numRowsUpdated) + " updated)");
      text.append(", rows dropped as late ");
      text.append(sum(all, StateOperatorProgress::numRowsDroppedByWatermark));
    }
    entry.duplicatesDropped().ifPresent(count -> text.append(", duplicates dropped " + count));
    if (entry.last().sink().numOutputRows() >= 0) {
      text.append(", rows put out " + sum(entry.progress(), p -> p.sink().numOutputRows()));
    }
    return text.toString();
  }

  private static <T> long sum(List<T> parts, ToLongFunction<T> number) {
    return parts.stream().mapToLong(number).sum();
  }

  private String watermark(QueryLog.Entry entry) {
    ZoneId zone = ZoneId.of(spark.conf().get("spark.sql.session.timeZone"));
    return entry
        .watermark()
        .map(time -> time.equals(Instant.EPOCH) ? "none yet" : TIME.format(time.atZone(zone)))
        .orElse("none");
  }

  void printTable(String heading, List<Row> rows) {
    printInput(heading, "");
    printRows(rows);
    printLine("");
  }

  void printLine(String line) {
    out.println(line);
  }

  @Override
  public void onQueryStarted(QueryStartedEvent event) {}

  @Override
  public void onQueryTerminated(QueryTerminatedEvent event) {}
}
