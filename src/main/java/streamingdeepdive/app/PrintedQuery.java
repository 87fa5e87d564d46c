package streamingdeepdive.app;

import java.util.List;
import java.util.function.Consumer;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import org.apache.spark.sql.streaming.Trigger;

/** A query that prints what it does. */
final class PrintedQuery {
  private final SparkSession spark;
  private final StepPrinter printer;
  private final StopSignal signal;
  private final String checkpoint;
  private final QueryLog log;
  private final RowCollector rows = new RowCollector();

  PrintedQuery(SparkSession spark, StepPrinter printer, StopSignal signal, String checkpoint) {
    this.spark = spark;
    this.printer = printer;
    this.signal = signal;
    this.checkpoint = checkpoint;
    this.log = new QueryLog(spark, checkpoint, -1);
  }

  /** Lands the files one by one and prints what each of them makes the query do. */
  void replay(
      DataStreamWriter<Row> writer, List<SampleData.SampleFile> files, LandingDirectory landing)
      throws Exception {
    run(
        writer,
        progress -> {},
        query -> {
          for (SampleData.SampleFile file : files) {
            landing.land(file.name(), file.content());
            query.processAllAvailable();
            if (signal.isReceived()) {
              return;
            }
            QueryLog.Entry entry = log.take(query).orElseThrow();
            printer.print(file.name(), file.content(), takeRows(entry), entry);
          }
        });
  }

  /** Prints each micro-batch until the query is stopped. */
  void follow(DataStreamWriter<Row> writer, Trigger trigger) throws Exception {
    run(writer.trigger(trigger), this::printMicroBatch, StreamingQuery::awaitTermination);
  }

  private void printMicroBatch(StreamingQueryProgress progress) {
    String heading =
        "micro-batch %d, rows read %d".formatted(progress.batchId(), progress.numInputRows());
    QueryLog.Entry entry = log.entry(progress);
    printer.print(heading, "", takeRows(entry), entry);
  }

  private List<Row> takeRows(QueryLog.Entry entry) {
    return rows.take(entry.lastBatchId()).stream().flatMap(List::stream).toList();
  }

  @FunctionalInterface
  private interface Feed {
    void run(StreamingQuery query) throws Exception;
  }

  private void run(
      DataStreamWriter<Row> writer, Consumer<StreamingQueryProgress> onCommit, Feed feed)
      throws Exception {
    BatchGate gate = new BatchGate(onCommit);
    VoidFunction2<Dataset<Row>, Long> sink =
        (batch, batchId) -> {
          gate.enter(batchId);
          rows.collect(batch, batchId);
        };
    spark.streams().addListener(gate);
    try {
      StreamingQuery query =
          writer.foreachBatch(sink).option("checkpointLocation", checkpoint).start();
      try {
        signal.stops(query, gate);
        feed.run(query);
      } finally {
        query.stop();
        signal.queryEnded();
      }
    } finally {
      spark.streams().removeListener(gate);
    }
  }
}
