package streamingdeepdive.app;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/**
 * Prints what queries do: after each file of a replay, or after each micro-batch. In both cases
 * that is what came in, then for each query its name if there are several, its rows, and one line
 * about its watermark and its state.
 */
@SuppressWarnings("serial") // a listener stays in the driver
final class QueryPrinter extends StreamingQueryListener {
  private final SparkSession spark;
  private final StepPrinter printer;
  private final Map<String, RowCollector> collectors = new ConcurrentHashMap<>();
  private final Map<UUID, Supplier<Dataset<Row>>> tables = new HashMap<>();
  private final Map<UUID, QueryLog> logs = new ConcurrentHashMap<>();
  private final Map<UUID, StreamingQueryException> failures = new HashMap<>();

  QueryPrinter(SparkSession spark, StepPrinter printer) {
    this.spark = spark;
    this.printer = printer;
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
   * Waits until each query has taken in what is there, and prints what it did.
   *
   * @throws StreamingQueryException if all have died; as long as one lives, it goes on with that
   */
  void printStep(long rowsToAwait, StreamingQuery... queries) throws StreamingQueryException {
    for (StreamingQuery query : queries) {
      awaitIdle(query, rowsToAwait);
    }
    if (failures.size() == queries.length) {
      throw failures.get(queries[0].id());
    }
    for (StreamingQuery query : queries) {
      if (query.name() != null) {
        printer.printLine("-- " + query.name());
      }
      if (failures.containsKey(query.id())) {
        printer.printLine("has died");
      } else {
        printWhatItDid(query);
      }
    }
    printer.printLine("");
  }

  private void awaitIdle(StreamingQuery query, long rowsToAwait) {
    try {
      do {
        // Of a query that has ended it would wait for ten seconds.
        if (query.isActive()) {
          query.processAllAvailable();
        }
      } while (query.isActive() && rowsRead(query) < rowsToAwait);
    } catch (Exception e) { // Scala throws checked ones undeclared
      if (!(e instanceof StreamingQueryException failure)) {
        throw e;
      }
      failures.put(query.id(), failure);
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
      printer.printRows(tables.get(query.id()).get().collectAsList());
    } else {
      printCollected(query, Long.MAX_VALUE - 1);
    }
    printer.printLine(entry.map(printer::text).orElse("no micro-batch"));
  }

  private void printCollected(StreamingQuery query, long lastBatchId) {
    RowCollector collector = collectors.get(query.id().toString());
    if (collector != null) {
      printer.printRows(collector.take(lastBatchId).stream().flatMap(List::stream).toList());
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
    printer.printInput(
        "micro-batch " + progress.batchId() + ", rows read " + progress.numInputRows(), "");
    if (query.name() != null) {
      printer.printLine("-- " + query.name());
    }
    printCollected(query, progress.batchId());
    printer.printLine(printer.text(log(query).entry(progress)));
    printer.printLine("");
  }

  @Override
  public void onQueryStarted(QueryStartedEvent event) {}

  @Override
  public void onQueryTerminated(QueryTerminatedEvent event) {}
}
