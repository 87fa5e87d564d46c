package streamingdeepdive.app;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/** A query of a main, whose rows are collected to be printed. */
final class PrintedQuery implements AutoCloseable {
  /** What consecutive micro-batches of a query put out, and what they did to its state. */
  record Step(String query, List<Row> rows, QueryLog.Entry entry) {}

  private final String name;
  private final SparkSession spark;
  private final String checkpoint;
  private final VoidFunction2<Dataset<Row>, Long> alsoTo;
  private final QueryLog log;
  private final RowCollector rows = new RowCollector();
  private BatchGate gate;
  private StreamingQuery query;

  PrintedQuery(
      String name,
      SparkSession spark,
      String checkpoint,
      VoidFunction2<Dataset<Row>, Long> alsoTo) {
    this.name = name;
    this.spark = spark;
    this.checkpoint = checkpoint;
    this.alsoTo = alsoTo;
    this.log = new QueryLog(spark, checkpoint, -1);
  }

  String name() {
    return name;
  }

  /**
   * Starts the query.
   *
   * @param whenCommitted told of each micro-batch, after its commit and before a stop
   */
  void start(DataStreamWriter<Row> writer, Consumer<StreamingQueryProgress> whenCommitted)
      throws TimeoutException {
    gate = new BatchGate(whenCommitted);
    spark.streams().addListener(gate);
    VoidFunction2<Dataset<Row>, Long> sink =
        (batch, batchId) -> {
          gate.enter(batchId);
          if (alsoTo == null) {
            rows.collect(batch, batchId);
          } else {
            writeAndCollect(batch, batchId);
          }
        };
    query = writer.foreachBatch(sink).option("checkpointLocation", checkpoint).start();
  }

  /** Each use of the micro-batch would compute it, and count its state, once more. */
  private void writeAndCollect(Dataset<Row> batch, Long batchId) throws Exception {
    batch.persist();
    try {
      alsoTo.call(batch, batchId);
      rows.collect(batch, batchId);
    } finally {
      batch.unpersist();
    }
  }

  /**
   * Waits until the query has read so many rows in all and is idle, and returns what it has done
   * since the last call.
   */
  Optional<Step> processAllAvailable(long rowsToAwait) {
    query.processAllAvailable();
    while (rowsRead() < rowsToAwait && query.isActive()) {
      query.processAllAvailable();
    }
    return log.take(query).map(this::step);
  }

  private long rowsRead() {
    return Arrays.stream(query.recentProgress())
        .mapToLong(StreamingQueryProgress::numInputRows)
        .sum();
  }

  /** Returns what the micro-batches up to this one have done since the last call. */
  Step step(StreamingQueryProgress progress) {
    return step(log.entry(progress));
  }

  private Step step(QueryLog.Entry entry) {
    List<List<Row>> batches = rows.take(entry.lastBatchId());
    return new Step(name, batches.stream().flatMap(List::stream).toList(), entry);
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
      spark.streams().removeListener(gate);
    }
  }
}
