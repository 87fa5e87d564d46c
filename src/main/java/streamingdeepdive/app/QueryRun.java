package streamingdeepdive.app;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/** Runs the queries of a main over the replay of the sample data, or over the user's directory. */
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

  /** Starts the queries, which are told apart by their names; a single one may have none. */
  void start(List<PrintedQuery> started) throws Exception {
    session.spark().streams().resetTerminated();
    for (PrintedQuery query : started) {
      queries.add(query);
      query.start(
          options.trigger(),
          options.isReplay() ? progress -> {} : progress -> printMicroBatch(query, progress));
      signal.stops(query::stopAfterMicroBatch);
    }
  }

  /** Lands the files step by step and prints what each step makes the queries do. */
  void replay(Replay replay) {
    for (Replay.Step next : replay.steps()) {
      next.land();
      List<PrintedQuery.Step> steps =
          queries.stream()
              .map(query -> query.processAllAvailable(next.landing().rowsToAwait()))
              .flatMap(Optional::stream)
              .toList();
      if (signal.isReceived()) {
        return;
      }
      printer.printInput(next.heading(), next.content());
      // All queries read the same lines.
      steps.stream().limit(1).forEach(step -> printer.printSetAside(step.setAside()));
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
    PrintedQuery.Step step = query.step(progress);
    printer.printSetAside(step.setAside());
    print.accept(List.of(step));
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
