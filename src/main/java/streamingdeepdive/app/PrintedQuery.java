package streamingdeepdive.app;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.GenericRowWithSchema;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import org.apache.spark.sql.types.StructType;

/**
 * A query of a main, whose rows are collected to be printed; if it has its own sink, its fate is.
 */
final class PrintedQuery implements AutoCloseable {
  /** Where the rows go. Of a sink of its own a query can die, and in some lessons it should. */
  enum Sink {
    COLLECTOR,
    OWN,
    OWN_AND_DEADLY
  }

  /**
   * What consecutive micro-batches of a query put out, what they did to its state, and a sentence
   * about each that has set lines aside.
   */
  record Step(String query, List<Row> rows, QueryLog.Entry entry, List<String> setAside) {}

  private static final StructType FATE =
      StructType.fromDDL("`state rows updated` BIGINT, `state rows` BIGINT, outcome STRING");

  private final String name;
  private final SparkSession spark;
  private final String checkpoint;
  private final QueryLog log;
  private final RowCollector rows = new RowCollector();
  private BatchGate gate;
  private StreamingQuery query;
  private Sink sink;
  private Optional<QueryLog.Entry> latest = Optional.empty();

  PrintedQuery(String name, SparkSession spark, String checkpoint) {
    this.name = name;
    this.spark = spark;
    this.checkpoint = checkpoint;
    this.log = new QueryLog(spark, checkpoint, -1);
  }

  String name() {
    return name;
  }

  /**
   * Starts the query.
   *
   * @param sink whether the writer brings one
   * @param whenCommitted told of each micro-batch, after its commit and before a stop
   */
  void start(
      DataStreamWriter<Row> writer, Sink sink, Consumer<StreamingQueryProgress> whenCommitted)
      throws TimeoutException {
    this.sink = sink;
    gate = new BatchGate(whenCommitted);
    spark.streams().addListener(gate);
    VoidFunction2<Dataset<Row>, Long> collector =
        (batch, batchId) -> {
          gate.enter(batchId);
          rows.collect(batch, batchId);
        };
    query =
        (sink == Sink.COLLECTOR ? writer.foreachBatch(collector) : writer)
            .option("checkpointLocation", checkpoint)
            .start();
    gate.belongsTo(query.id());
  }

  /** Waits until the query is idle, and returns what it has done since the last call. */
  Optional<Step> processAllAvailable() {
    if (sink == Sink.OWN_AND_DEADLY) {
      return awaitFate();
    }
    query.processAllAvailable();
    return log.take(query).map(this::step);
  }

  /** Returns what the micro-batches up to this one have done since the last call. */
  Step step(StreamingQueryProgress progress) {
    return step(log.entry(progress));
  }

  private Step step(QueryLog.Entry entry) {
    if (sink == Sink.OWN_AND_DEADLY) {
      return fate(entry, entry.stateRowsUpdated(), "running");
    }
    List<List<Row>> batches = rows.take(entry.lastBatchId());
    return new Step(name, batches.stream().flatMap(List::stream).toList(), entry, setAside(entry));
  }

  private Optional<Step> awaitFate() {
    String outcome = "running";
    try {
      query.processAllAvailable();
    } catch (Exception e) {
      if (!(e instanceof StreamingQueryException)) {
        throw e;
      }
      outcome = "died";
    }
    Optional<QueryLog.Entry> now = log.take(query);
    latest = now.or(() -> latest);
    long updated = now.map(QueryLog.Entry::stateRowsUpdated).orElse(0L);
    return latest.isEmpty() ? Optional.empty() : Optional.of(fate(latest.get(), updated, outcome));
  }

  private Step fate(QueryLog.Entry entry, long updated, String outcome) {
    Object[] fate = {updated, entry.stateRows(), outcome};
    return new Step(name, List.of(new GenericRowWithSchema(fate, FATE)), entry, setAside(entry));
  }

  private List<String> setAside(QueryLog.Entry entry) {
    return Arrays.stream(query.recentProgress())
        .filter(progress -> entry.batchIds().contains(progress.batchId()))
        .flatMap(progress -> SetAside.report(progress).stream())
        .toList();
  }

  /** Lets the running micro-batch finish, then stops the query. */
  void stopAfterMicroBatch() throws InterruptedException, TimeoutException {
    gate.close(query);
    query.stop();
  }

  @Override
  public void close() throws TimeoutException {
    if (query != null) {
      query.stop();
    }
    if (gate != null) {
      if (query == null) {
        // It did not start; other queries' events must not wait for its name.
        gate.belongsTo(new UUID(0, 0));
      }
      spark.streams().removeListener(gate);
    }
  }
}
