package streamingdeepdive.app;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.GenericRowWithSchema;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import org.apache.spark.sql.streaming.Trigger;
import org.apache.spark.sql.types.StructType;

/** A query of a main, and what is printed of it. */
final class PrintedQuery implements AutoCloseable {
  /**
   * What consecutive micro-batches of a query put out, what they did to its state, and a sentence
   * about each that has set lines aside.
   */
  record Step(String query, List<Row> rows, QueryLog.Entry entry, List<String> setAside) {}

  /** The last micro-batches that were committed, and whether the query has died since. */
  private record Fate(QueryLog.Entry entry, long stateRowsUpdated, boolean died) {
    private static final StructType SCHEMA =
        StructType.fromDDL("`state rows updated` BIGINT, `state rows` BIGINT, outcome STRING");

    Row toRow() {
      Object[] values = {stateRowsUpdated, entry.stateRows(), died ? "died" : "running"};
      return new GenericRowWithSchema(values, SCHEMA);
    }
  }

  private final String name;
  private final SparkSession spark;
  private final QueryLog log;
  private final BatchGate gate;
  private final DataStreamWriter<Row> writer;
  private final Function<Fate, List<Row>> rows;
  private final boolean mayDie;
  private StreamingQuery query;
  private Optional<QueryLog.Entry> latest = Optional.empty();

  private PrintedQuery(
      String name,
      SparkSession spark,
      String checkpoint,
      BatchGate gate,
      DataStreamWriter<Row> writer,
      Function<Fate, List<Row>> rows,
      boolean mayDie) {
    this.name = name;
    this.spark = spark;
    this.log = new QueryLog(spark, checkpoint, -1);
    this.gate = gate;
    this.writer = writer.option("checkpointLocation", checkpoint);
    this.rows = rows;
    this.mayDie = mayDie;
  }

  /**
   * A query without a sink: its rows are collected.
   *
   * @param alsoTo where they go besides; null for nowhere
   */
  static PrintedQuery collected(
      String name,
      SparkSession spark,
      String checkpoint,
      DataStreamWriter<Row> writer,
      VoidFunction2<Dataset<Row>, Long> alsoTo) {
    BatchGate gate = new BatchGate();
    RowCollector collector = new RowCollector();
    VoidFunction2<Dataset<Row>, Long> sink =
        (batch, batchId) -> {
          gate.enter(batchId);
          if (alsoTo == null) {
            collector.collect(batch, batchId);
          } else {
            writeAndCollect(batch, batchId, alsoTo, collector);
          }
        };
    return new PrintedQuery(
        name,
        spark,
        checkpoint,
        gate,
        writer.foreachBatch(sink),
        fate -> collector.take(fate.entry().lastBatchId()).stream().flatMap(List::stream).toList(),
        false);
  }

  /** Each use of the micro-batch would compute it, and count its state, once more. */
  private static void writeAndCollect(
      Dataset<Row> batch,
      Long batchId,
      VoidFunction2<Dataset<Row>, Long> sink,
      RowCollector collector)
      throws Exception {
    batch.persist();
    try {
      sink.call(batch, batchId);
      collector.collect(batch, batchId);
    } finally {
      batch.unpersist();
    }
  }

  /** A query with a sink of its own, which is read. */
  static PrintedQuery withSink(
      String name,
      SparkSession spark,
      String checkpoint,
      DataStreamWriter<Row> writer,
      Supplier<List<Row>> table) {
    return new PrintedQuery(
        name, spark, checkpoint, new BatchGate(), writer, fate -> table.get(), false);
  }

  /** A query with a sink of its own, of which it may die: its state and its end are the rows. */
  static PrintedQuery withFate(
      String name, SparkSession spark, String checkpoint, DataStreamWriter<Row> writer) {
    return new PrintedQuery(
        name, spark, checkpoint, new BatchGate(), writer, fate -> List.of(fate.toRow()), true);
  }

  String name() {
    return name;
  }

  /**
   * Starts the query.
   *
   * @param whenCommitted told of each micro-batch, after its commit and before a stop
   */
  void start(Trigger trigger, Consumer<StreamingQueryProgress> whenCommitted)
      throws TimeoutException {
    gate.onCommit(whenCommitted);
    spark.streams().addListener(gate);
    try {
      query = writer.trigger(trigger).start();
    } finally {
      gate.belongsTo(query == null ? null : query.id());
    }
  }

  /**
   * Waits until the query has read so many rows in all and is idle, and returns what it has done
   * since the last call.
   */
  Optional<Step> processAllAvailable(long rowsToAwait) {
    boolean died = false;
    try {
      query.processAllAvailable();
      while (rowsRead() < rowsToAwait && query.isActive()) {
        query.processAllAvailable();
      }
    } catch (Exception e) {
      if (!mayDie || !(e instanceof StreamingQueryException)) {
        throw e;
      }
      died = true;
    }
    Optional<QueryLog.Entry> now = log.take(query);
    if (now.isEmpty() && !mayDie) {
      return Optional.empty();
    }
    latest = now.or(() -> latest);
    long updated = now.map(QueryLog.Entry::stateRowsUpdated).orElse(0L);
    boolean isDead = died;
    return latest.map(entry -> step(new Fate(entry, updated, isDead)));
  }

  private long rowsRead() {
    return Arrays.stream(query.recentProgress())
        .mapToLong(StreamingQueryProgress::numInputRows)
        .sum();
  }

  /** Returns what the micro-batches up to this one have done since the last call. */
  Step step(StreamingQueryProgress progress) {
    QueryLog.Entry entry = log.entry(progress);
    return step(new Fate(entry, entry.stateRowsUpdated(), false));
  }

  private Step step(Fate fate) {
    return new Step(name, rows.apply(fate), fate.entry(), setAside(fate.entry()));
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
    spark.streams().removeListener(gate);
  }
}
