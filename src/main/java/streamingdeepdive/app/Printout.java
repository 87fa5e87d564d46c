package streamingdeepdive.app;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.DataStreamWriter;

/** Runs queries to the end of the replay, or of the process, and prints what they do. */
public final class Printout {
  /**
   * A query with a sink of its own.
   *
   * @param writer the query with its sink and its checkpoint; the trigger is set here
   * @param table reads what the sink holds
   */
  public record Sink(DataStreamWriter<Row> writer, Supplier<Dataset<Row>> table) {}

  private final AppRun app;
  private final AppOptions options;
  private final AppSession session;
  private final StopSignal signal;
  private final StepPrinter printer;

  Printout(AppRun app, AppOptions options, AppSession session, StopSignal signal) {
    this.app = app;
    this.options = options;
    this.session = session;
    this.signal = signal;
    this.printer = new StepPrinter(session.spark(), System.out);
  }

  /**
   * Starts a query and prints the rows, the watermark and the state of each step, until the replay
   * or the process ends.
   *
   * @param writer the query and its output mode; sink, checkpoint and trigger are set here
   * @throws Exception if the query cannot start, or dies
   */
  public void steps(DataStreamWriter<Row> writer) throws Exception {
    run(List.of(collected("", writer)), steps -> printer.printStep(steps.get(0)));
  }

  /**
   * Starts a query as {@link #steps(DataStreamWriter)} does, and beside it one of what the first
   * does not take, whose rows are printed if there are any.
   *
   * @param writer the query and its output mode
   * @param name the name of the other query
   * @param aside the other query, over the same input
   * @throws Exception if a query cannot start, or dies
   */
  public void steps(DataStreamWriter<Row> writer, String name, DataStreamWriter<Row> aside)
      throws Exception {
    Map<String, DataStreamWriter<Row>> writers = new LinkedHashMap<>();
    writers.put("", writer);
    writers.put(name, aside);
    run(collected(writers), steps -> steps.forEach(this::printStepOrAside));
  }

  /**
   * Starts a query as {@link #steps(DataStreamWriter)} does, and has each micro-batch written to a
   * sink.
   *
   * @param writer the query and its output mode
   * @param sink as {@code foreachBatch} takes it
   * @throws Exception if the query cannot start, or dies
   */
  public void steps(DataStreamWriter<Row> writer, VoidFunction2<Dataset<Row>, Long> sink)
      throws Exception {
    run(
        List.of(PrintedQuery.collected("", session.spark(), app.checkpoint(""), writer, sink)),
        steps -> printer.printStep(steps.get(0)));
  }

  private void printStepOrAside(PrintedQuery.Step step) {
    if (step.query().isEmpty()) {
      printer.printStep(step);
    } else if (!step.rows().isEmpty()) {
      printer.printTable(step.rows());
    }
  }

  /**
   * Starts a query that has a sink of its own and prints what it reads, until the replay or the
   * process ends.
   *
   * @param writer the query with its sink; checkpoint and trigger are set here
   * @throws Exception if the query cannot start, or dies
   */
  public void write(DataStreamWriter<Row> writer) throws Exception {
    run(
        List.of(PrintedQuery.withSink("", session.spark(), app.checkpoint(""), writer, List::of)),
        steps -> printer.printEnd());
  }

  /**
   * Starts several queries over the same input and prints, step by step, the rows of all of them.
   *
   * @param writers the queries by name, with the same columns
   * @throws Exception if a query cannot start, or dies
   */
  public void rowsOfEach(Map<String, DataStreamWriter<Row>> writers) throws Exception {
    run(collected(writers), printer::printRowsOfEach);
  }

  /**
   * Starts several queries over the same input and prints, step by step, how many rows each puts
   * out.
   *
   * @param writers the queries by name
   * @throws Exception if a query cannot start, or dies
   */
  public void rowCountOfEach(Map<String, DataStreamWriter<Row>> writers) throws Exception {
    run(collected(writers), printer::printRowCountOfEach);
  }

  /**
   * Starts several queries over the same input and prints, step by step, the watermark, the state
   * rows and the late rows of each.
   *
   * @param writers the queries by name
   * @throws Exception if a query cannot start, or dies
   */
  public void ledgerOfEach(Map<String, DataStreamWriter<Row>> writers) throws Exception {
    run(collected(writers), printer::printLedgerOfEach);
  }

  /**
   * Starts several queries over the same input and prints, step by step, what {@link #rowsOfEach}
   * and {@link #ledgerOfEach} do.
   *
   * @param writers the queries by name, with the same columns
   * @throws Exception if a query cannot start, or dies
   */
  public void rowsAndLedgerOfEach(Map<String, DataStreamWriter<Row>> writers) throws Exception {
    run(collected(writers), printer::printRowsAndLedgerOfEach);
  }

  /**
   * Starts several queries that bring their own sinks and prints, step by step, how many state rows
   * each has updated, how many it has, and whether it has died.
   *
   * @param writers the queries by name, with their sinks
   * @throws Exception if a query cannot start
   */
  public void fateOfEach(Map<String, DataStreamWriter<Row>> writers) throws Exception {
    run(
        writers.entrySet().stream()
            .map(
                writer ->
                    PrintedQuery.withFate(
                        writer.getKey(),
                        session.spark(),
                        app.checkpoint(writer.getKey()),
                        writer.getValue()))
            .toList(),
        printer::printRowsOfEach);
  }

  /**
   * Starts a query that has a sink of its own, and prints after each step of the replay what this
   * holds; over the user's directory, only what each micro-batch did to the state.
   *
   * @param sink the sink; it is given the checkpoint {@code checkpoint("")}
   * @throws Exception if the query cannot start, or dies
   */
  public void sink(Sink sink) throws Exception {
    run(List.of(withSink("", sink)), steps -> printer.printStep(steps.get(0)));
  }

  /**
   * Starts queries that have sinks of their own, and prints after each step of the replay what
   * these hold; over the user's directory, only what each micro-batch did to the state.
   *
   * @param sinks the sinks by name; those of the same name are at {@link AppRun#output(String)} and
   *     {@link AppRun#checkpoint(String)}
   * @throws Exception if a query cannot start, or dies
   */
  public void sinks(Map<String, Sink> sinks) throws Exception {
    run(
        sinks.entrySet().stream().map(sink -> withSink(sink.getKey(), sink.getValue())).toList(),
        options.isReplay() ? printer::printRowsAndLedgerOfEach : printer::printLedgerOfEach);
  }

  /**
   * Starts several queries over the same input, one after the other, and prints how many
   * micro-batches each of them ran and how many rows it put out. All sample files are there when
   * the first one starts.
   *
   * @param writers the queries by name, with their triggers
   * @throws Exception if a query dies, or cannot start for another reason than that Spark refuses
   *     it; a refusal is printed
   */
  public void deliveries(Map<String, DataStreamWriter<Row>> writers) throws Exception {
    if (options.isReplay()) {
      app.replay().steps().forEach(Replay.Step::land);
    }
    List<Row> deliveries = new ArrayList<>();
    for (Map.Entry<String, DataStreamWriter<Row>> writer : writers.entrySet()) {
      String checkpoint = app.checkpoint(writer.getKey().replace(' ', '-'));
      deliveries.add(Delivery.of(writer.getKey(), writer.getValue(), session.spark(), checkpoint));
    }
    printer.printInput("what each delivered", "");
    printer.printTable(deliveries);
  }

  /**
   * Starts a query with a continuous trigger. Of the sample data all is there when it starts; when
   * the query has put out as many rows as a batch query does, these are printed. On input of the
   * user's own it prints to the console as it goes.
   *
   * @param writer the query, with its trigger
   * @param table the batch query
   * @throws Exception if the query cannot start, or dies
   */
  public void continuous(DataStreamWriter<Row> writer, Dataset<Row> table) throws Exception {
    DataStreamWriter<Row> query = writer.option("checkpointLocation", app.checkpoint(""));
    if (options.isReplay()) {
      app.replay().steps().forEach(Replay.Step::land);
      List<Row> rows = ContinuousRun.rows(query, table);
      printer.printInput("the rows that came out", "");
      printer.printTable(rows);
    } else {
      ContinuousRun.follow(query, signal);
    }
  }

  private List<PrintedQuery> collected(Map<String, DataStreamWriter<Row>> writers) {
    return writers.entrySet().stream()
        .map(writer -> collected(writer.getKey(), writer.getValue()))
        .toList();
  }

  private PrintedQuery collected(String name, DataStreamWriter<Row> writer) {
    return PrintedQuery.collected(name, session.spark(), app.checkpoint(name), writer, null);
  }

  private PrintedQuery withSink(String name, Sink sink) {
    return PrintedQuery.withSink(
        name,
        session.spark(),
        app.checkpoint(name),
        sink.writer(),
        options.isReplay() ? () -> sink.table().get().collectAsList() : List::of);
  }

  private void run(List<PrintedQuery> queries, Consumer<List<PrintedQuery.Step>> print)
      throws Exception {
    try (QueryRun run = new QueryRun(options, session, signal, printer, print)) {
      run.start(queries);
      if (options.isReplay()) {
        run.replay(app.replay());
      } else {
        run.follow();
      }
    }
  }

  /**
   * Prints the rows of a batch query; does nothing once the process has been told to stop.
   *
   * @param heading the line above them
   * @param table any batch Dataset
   */
  public void table(String heading, Dataset<Row> table) {
    if (!signal.isReceived()) {
      printer.printInput(heading, "");
      printer.printTable(table.collectAsList());
    }
  }
}
