package streamingdeepdive.app;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/** Runs the queries of a main over the replay of the sample data, or over the user's input. */
final class QueryRun implements AutoCloseable {
  private final AppOptions options;
  private final AppSession session;
  private final StopSignal signal;
  private final StepPrinter printer;
  private final Consumer<List<PrintedQuery.Step>> print;
  private final List<PrintedQuery> queries = new ArrayList<>();

  QueryRun(
      AppOptions options,
      AppSession session,
      StopSignal signal,
      StepPrinter printer,
      Consumer<List<PrintedQuery.Step>> print) {
    this.options = options;
    this.session = session;
    this.signal = signal;
    this.printer = printer;
    this.print = print;
  }

  /**
   * Starts the queries, which are told apart by their names; one may have none.
   *
   * @param sink where their micro-batches go, besides being printed; null for nowhere
   */
  void start(Map<String, DataStreamWriter<Row>> writers, VoidFunction2<Dataset<Row>, Long> sink)
      throws Exception {
    session.spark().streams().resetTerminated();
    String checkpoint =
        Objects.requireNonNullElseGet(
            options.checkpoint, () -> session.scratch().resolve("checkpoint").toUri().toString());
    for (Map.Entry<String, DataStreamWriter<Row>> writer : writers.entrySet()) {
      PrintedQuery query =
          new PrintedQuery(
              writer.getKey(), session.spark(), checkpoint + "/" + writer.getKey(), sink);
      queries.add(query);
      query.start(
          writer.getValue().trigger(options.trigger()),
          options.isReplay() ? progress -> {} : progress -> printMicroBatch(query, progress));
      signal.stops(query::stopAfterMicroBatch);
    }
  }

  /** Lands one piece after the other and prints what each of them makes the queries do. */
  void replay(List<Piece> pieces) {
    for (Piece piece : pieces) {
      piece.land();
      List<PrintedQuery.Step> steps =
          queries.stream()
              .map(query -> query.processAllAvailable(piece.landing().rowsToAwait()))
              .flatMap(Optional::stream)
              .toList();
      if (signal.isReceived()) {
        return;
      }
      printer.printInput(piece.name(), piece.content());
      print.accept(steps);
    }
  }

  /** Returns when a query ends, which is when the process is told to stop. */
  void follow() throws Exception {
    session.spark().streams().awaitAnyTermination();
  }

  private void printMicroBatch(PrintedQuery query, StreamingQueryProgress progress) {
    String heading =
        "micro-batch %d, rows read %d".formatted(progress.batchId(), progress.numInputRows());
    printer.printInput(query.name().isEmpty() ? heading : query.name() + ", " + heading, "");
    print.accept(List.of(query.step(progress)));
  }

  @Override
  public void close() throws TimeoutException {
    // First of all: a signal may be stopping them, each when its micro-batch has finished.
    signal.queriesEnded();
    for (PrintedQuery query : queries) {
      query.close();
    }
  }
}
