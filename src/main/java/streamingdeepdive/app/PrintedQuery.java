package streamingdeepdive.app;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import org.apache.spark.sql.streaming.Trigger;

/** A query of a main, whose rows are printed. */
final class PrintedQuery implements AutoCloseable {
  /** What consecutive micro-batches of a query put out, and what they did to its state. */
  record Step(String query, List<Row> rows, QueryLog.Entry entry) {}

  private final String name;
  private final SparkSession spark;
  private final QueryLog log;
  private final BatchGate gate = new BatchGate();
  private final DataStreamWriter<Row> writer;
  private final LongFunction<List<Row>> rowsUpTo;
  private StreamingQuery query;

  /** A query without a sink: its rows are collected. */
  PrintedQuery(String name, SparkSession spark, String checkpoint, DataStreamWriter<Row> writer) {
    RowCollector collector = new RowCollector();
    VoidFunction2<Dataset<Row>, Long> sink =
        (batch, batchId) -> {
          gate.enter(batchId);
          collector.collect(batch, batchId);
        };
    this.name = name;
    this.spark = spark;
    this.log = new QueryLog(spark, checkpoint, -1);
    this.writer = writer.foreachBatch(sink).option("checkpointLocation", checkpoint);
    this.rowsUpTo = batchId -> collector.take(batchId).stream().flatMap(List::stream).toList();
  }

  /** A query that brings its own sink and checkpoint: what the sink holds is read. */
  PrintedQuery(
      String name,
      SparkSession spark,
      String checkpoint,
      DataStreamWriter<Row> writer,
      Supplier<List<Row>> table) {
    this.name = name;
    this.spark = spark;
    this.log = new QueryLog(spark, checkpoint, -1);
    this.writer = writer;
    this.rowsUpTo = batchId -> table.get();
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
    query = writer.trigger(trigger).start();
  }

  /** Waits until the query is idle, and returns what it has done since the last call. */
  Optional<Step> processAllAvailable() {
    query.processAllAvailable();
    return log.take(query).map(this::step);
  }

  /** Returns what the micro-batches up to this one have done since the last call. */
  Step step(StreamingQueryProgress progress) {
    return step(log.entry(progress));
  }

  private Step step(QueryLog.Entry entry) {
    return new Step(name, rowsUpTo.apply(entry.lastBatchId()), entry);
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
