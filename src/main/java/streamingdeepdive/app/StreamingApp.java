package streamingdeepdive.app;

import static org.apache.spark.sql.functions.current_timestamp;
import static org.apache.spark.sql.functions.lit;

import java.net.ConnectException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQueryException;

/**
 * What the main of a lesson needs around its query: a session, an input and a print of each step.
 *
 * <p>Without {@code --input} the sample data is replayed: a file lands, the query takes it in, the
 * step is printed, the next file lands; after the last one the run ends. With it the query follows
 * a directory until the process is stopped. A main on Kafka does the same with a topic.
 */
public final class StreamingApp {
  /** What differs from main to main. */
  @FunctionalInterface
  public interface Body {
    /**
     * Builds the query and has it printed.
     *
     * @param app the session, the input and the printing
     * @throws Exception whatever ends the run early; the user sees the root cause's message
     */
    void run(StreamingApp app) throws Exception;
  }

  /** What differs from main to main on Kafka. */
  @FunctionalInterface
  public interface TopicBody {
    /**
     * Builds the query and has it printed.
     *
     * @param app the session and the printing
     * @param topic the input or, if the main writes to a topic, the output
     * @throws Exception whatever ends the run early; the user sees the root cause's message
     */
    void run(StreamingApp app, Topic topic) throws Exception;
  }

  /** What differs from main to main on a socket. */
  @FunctionalInterface
  public interface SocketBody {
    /**
     * Builds the query and has it printed.
     *
     * @param app the session and the printing
     * @param host the host of the server to read from
     * @param port its port
     * @throws Exception whatever ends the run early; the user sees the root cause's message
     */
    void run(StreamingApp app, String host, int port) throws Exception;
  }

  /** What differs from main to main on a database. */
  @FunctionalInterface
  public interface DatabaseBody {
    /**
     * Builds the query and has it printed.
     *
     * @param app the session, the input and the printing
     * @param database the output
     * @throws Exception whatever ends the run early; the user sees the root cause's message
     */
    void run(StreamingApp app, Database database) throws Exception;
  }

  /**
   * A query with a sink of its own.
   *
   * @param writer the query with its sink and its checkpoint; the trigger is set here
   * @param table reads what the sink holds
   */
  public record Sink(DataStreamWriter<Row> writer, Supplier<Dataset<Row>> table) {}

  private static final Instant REPLAY_CLOCK = Instant.parse("2026-01-01T18:00:00Z");

  private final AppOptions options;
  private final AppSession session;
  private final StopSignal signal;
  private final StepPrinter printer;
  private final LandingDirectory directory;
  private Landing landing;
  private Optional<Replay> replay = Optional.empty();

  StreamingApp(AppOptions options, AppSession session, StopSignal signal) {
    this.options = options;
    this.session = session;
    this.signal = signal;
    this.printer = new StepPrinter(session.spark(), System.out);
    this.directory = newDirectory("input");
    this.landing = directory;
  }

  /**
   * Runs a main. Returns when it ended well; otherwise prints one sentence on stderr and exits the
   * JVM: with 2 if the command line cannot be carried out, with 1 if the run failed.
   *
   * @param main the class that the user started
   * @param purpose one sentence for {@code --help}
   * @param args the command line
   * @param body the lesson's part
   */
  public static void run(Class<?> main, String purpose, String[] args, Body body) {
    run(main, purpose, args, new DirectoryOptions(), body);
  }

  /**
   * Runs a main whose query has a sink of its own; its command line has {@code --output} too.
   *
   * @param main the class that the user started
   * @param purpose one sentence for {@code --help}
   * @param args the command line
   * @param body the lesson's part
   */
  public static void runWithOutput(Class<?> main, String purpose, String[] args, Body body) {
    runWithOutput(main, purpose, args, Map.of(), body);
  }

  /**
   * Runs a main as {@link #runWithOutput(Class, String, String[], Body)} does, in a session with
   * some more settings.
   *
   * @param main the class that the user started
   * @param purpose one sentence for {@code --help}
   * @param args the command line
   * @param settings Spark's settings that the session must be created with
   * @param body the lesson's part
   */
  public static void runWithOutput(
      Class<?> main, String purpose, String[] args, Map<String, String> settings, Body body) {
    run(main, purpose, args, new FilesToDirectoryOptions(settings), body);
  }

  /**
   * Runs a main that has its say about the sample data alone; its command line has no directories.
   *
   * @param main the class that the user started
   * @param purpose one sentence for {@code --help}
   * @param args the command line
   * @param body the lesson's part
   */
  public static void runOnSampleData(Class<?> main, String purpose, String[] args, Body body) {
    run(main, purpose, args, new SampleDataOptions(), body);
  }

  /**
   * Runs a main on a topic: the user's, or one of a broker that lives as long as the run. Returns
   * or exits as {@link #run} does.
   *
   * @param main the class that the user started
   * @param purpose one sentence for {@code --help}
   * @param args the command line
   * @param body the lesson's part
   */
  public static void runOnTopic(Class<?> main, String purpose, String[] args, TopicBody body) {
    TopicOptions topic = new TopicOptions();
    run(main, purpose, args, topic, app -> app.onTopic(topic, body));
  }

  /**
   * Runs a main that reads files and writes to a topic: the user's, or one of a broker that lives
   * as long as the run. Returns or exits as {@link #run} does.
   *
   * @param main the class that the user started
   * @param purpose one sentence for {@code --help}
   * @param args the command line
   * @param body the lesson's part
   */
  public static void runToTopic(Class<?> main, String purpose, String[] args, TopicBody body) {
    FilesToTopicOptions options = new FilesToTopicOptions();
    run(main, purpose, args, options, app -> app.toTopic(options, body));
  }

  /**
   * Runs a main that reads files and writes to a database: the user's, or one in a file that goes
   * with the run. Returns or exits as {@link #run} does.
   *
   * @param main the class that the user started
   * @param purpose one sentence for {@code --help}
   * @param args the command line
   * @param body the lesson's part
   */
  public static void runToDatabase(
      Class<?> main, String purpose, String[] args, DatabaseBody body) {
    FilesToDatabaseOptions options = new FilesToDatabaseOptions();
    run(main, purpose, args, options, app -> app.toDatabase(options, body));
  }

  /**
   * Runs a main on a server: the user's, or one in this process that sends the sample data. Returns
   * or exits as {@link #run} does.
   *
   * @param main the class that the user started
   * @param purpose one sentence for {@code --help}
   * @param args the command line
   * @param body the lesson's part
   */
  public static void runOnSocket(Class<?> main, String purpose, String[] args, SocketBody body) {
    SocketOptions server = new SocketOptions();
    run(main, purpose, args, server, app -> app.onSocket(server, body));
  }

  private static void run(
      Class<?> main, String purpose, String[] args, InputOptions input, Body body) {
    int exitCode = CommandLineRun.execute(main, purpose, args, input, body);
    if (exitCode != 0) {
      System.exit(exitCode);
    }
  }

  void onSocket(SocketOptions server, SocketBody body) throws Exception {
    if (!options.isReplay()) {
      try {
        body.run(this, server.host(), server.port());
      } catch (StreamingQueryException e) {
        throw ExceptionUtils.indexOfType(e, ConnectException.class) < 0
            ? e
            : new IllegalStateException(
                "No server listens at " + server.place() + "; start one there first.");
      }
      return;
    }
    try (LandingSocket sales = new LandingSocket()) {
      landing = sales;
      body.run(this, sales.host(), sales.port());
    }
  }

  private void toTopic(FilesToTopicOptions files, TopicBody body) throws Exception {
    if (!options.isReplay()) {
      body.run(this, files.topic());
      return;
    }
    try (LocalBroker broker = LocalBroker.start();
        LandingTopic output = new LandingTopic(broker.bootstrapServers(), "totals")) {
      body.run(this, output.topic());
    }
  }

  private void toDatabase(FilesToDatabaseOptions files, DatabaseBody body) throws Exception {
    if (!options.isReplay()) {
      body.run(this, files.database(System.getenv()));
      return;
    }
    try (ReplayDatabase replay = ReplayDatabase.in(session.scratch())) {
      body.run(this, replay.database());
    }
  }

  private void onTopic(TopicOptions topic, TopicBody body) throws Exception {
    if (!options.isReplay()) {
      body.run(this, topic.topic());
      return;
    }
    try (LocalBroker broker = LocalBroker.start();
        LandingTopic sales = new LandingTopic(broker.bootstrapServers(), "sales")) {
      landing = sales;
      body.run(this, sales.topic());
    }
  }

  /**
   * Returns the session of this run.
   *
   * @return a local session, or that of spark-submit
   */
  public SparkSession spark() {
    return session.spark();
  }

  /**
   * Returns the time it is. The events of a replay are of the past, so it has a clock of its own.
   *
   * @return TIMESTAMP: the start of the micro-batch, or the evening of the day of the sample data
   */
  public Column clock() {
    return options.isReplay() ? lit(REPLAY_CLOCK) : current_timestamp();
  }

  /**
   * Returns the directory of event files to read.
   *
   * @return the user's directory, or the one in which the sample data lands
   * @throws Exception if the sample data cannot be read
   */
  public String input() throws Exception {
    return input("sales");
  }

  /**
   * Returns the directory of event files to read.
   *
   * @param folder the folder of the sample data to replay
   * @return the user's directory, or the one in which the folder's files land
   * @throws Exception if the sample data cannot be read
   */
  public String input(String folder) throws Exception {
    return input(Replay.ofFolder(folder, landing));
  }

  /**
   * Returns the directory of event files to read.
   *
   * @param files how many files to replay instead of the sample data
   * @param lines the lines of each, from the first, which is 1; they are not printed
   * @return the user's directory, or the one in which the generated files land
   */
  public String generatedInput(int files, IntFunction<String> lines) {
    return input(Replay.ofGenerated(files, lines, landing));
  }

  /**
   * Returns the directory of event files to read.
   *
   * @return the user's directory, or one in which all the sample data is before a query starts
   * @throws Exception if the sample data cannot be read
   */
  public String backlog() throws Exception {
    return input(Replay.ofFolder("sales", landing).landed(landing));
  }

  /**
   * Leaves out the lines that are no event. How many there were in which files, and why, is printed
   * with each step.
   *
   * @param lines a streaming Dataset with {@code raw}, {@code file} and {@code reason} STRING,
   *     which is null in the lines to take
   * @return the other columns of those
   */
  public Dataset<Row> accepted(Dataset<Row> lines) {
    return SetAside.from(lines);
  }

  /**
   * Returns a replay of the sample data in parts, with directories of its own.
   *
   * @param name what is printed above each part
   * @return the replay, at its beginning
   * @throws Exception if the sample data cannot be read
   */
  public StagedReplay stagedReplay(String name) throws Exception {
    return new StagedReplay(
        name,
        Files.createTempDirectory(session.scratch(), "replay-"),
        SampleData.read("sales"),
        printer);
  }

  private String input(Replay replay) {
    this.replay = Optional.of(replay);
    return options.isReplay() ? directory.uri() : options.input.place();
  }

  /**
   * Returns the directory of more files to read as a stream; call it after {@link #input()}.
   *
   * @param folder a folder of the sample data, whose files land between the others in the order of
   *     all names
   * @return the folder of that name in the user's directory, or the one in which the files land
   * @throws Exception if the sample data cannot be read
   */
  public String moreInput(String folder) throws Exception {
    if (!options.isReplay()) {
      return options.input.place() + "/" + folder;
    }
    LandingDirectory more = newDirectory(folder);
    replay = Optional.of(replay().mergedWith(Replay.ofFolder(folder, more)));
    return more.uri();
  }

  /**
   * Returns the directory of files to read as a table.
   *
   * @param folder a folder of the sample data
   * @return the folder of that name in the user's directory, or one with all files of the sample
   *     data's
   * @throws Exception if the sample data cannot be read
   */
  public String table(String folder) throws Exception {
    if (!options.isReplay()) {
      return options.input.place() + "/" + folder;
    }
    LandingDirectory table = newDirectory(folder);
    SampleData.read(folder).forEach(file -> table.land(file.name(), file.content()));
    return table.uri();
  }

  private LandingDirectory newDirectory(String folder) {
    return new LandingDirectory(session.scratch().resolve(folder));
  }

  private Replay replay() throws Exception {
    return replay.isPresent() ? replay.get() : Replay.ofFolder("sales", landing);
  }

  /**
   * Returns the directory for what a query without a name writes.
   *
   * @return that of {@code --output}, or one that is deleted with this run
   */
  public String output() {
    return output("");
  }

  /**
   * Returns the directory for what a query writes.
   *
   * @param query the query's name
   * @return a directory in that of {@code --output}, or one that is deleted with this run
   */
  public String output(String query) {
    return directory(options.input.output(), "output", query);
  }

  /**
   * Returns the checkpoint location of a query.
   *
   * @param query the query's name
   * @return a directory in that of {@code --checkpoint}, or one that is deleted with this run
   */
  public String checkpoint(String query) {
    return directory(options.checkpoint, "checkpoint", query);
  }

  private String directory(String users, String ours, String query) {
    String parent =
        Objects.requireNonNullElseGet(
            users,
            () ->
                new org.apache.hadoop.fs.Path(session.scratch().resolve(ours).toUri()).toString());
    return query.isEmpty() ? parent : parent + "/" + query;
  }

  /**
   * Starts a query and prints the rows, the watermark and the state of each step, until the replay
   * or the process ends.
   *
   * @param writer the query and its output mode; sink, checkpoint and trigger are set here
   * @throws Exception if the query cannot start, or dies
   */
  public void print(DataStreamWriter<Row> writer) throws Exception {
    run(List.of(collected("", writer)), steps -> printer.printStep(steps.get(0)));
  }

  /**
   * Starts a query as {@link #print(DataStreamWriter)} does, and beside it one of what the first
   * does not take, whose rows are printed if there are any.
   *
   * @param writer the query and its output mode
   * @param name the name of the other query
   * @param aside the other query, over the same input
   * @throws Exception if a query cannot start, or dies
   */
  public void print(DataStreamWriter<Row> writer, String name, DataStreamWriter<Row> aside)
      throws Exception {
    Map<String, DataStreamWriter<Row>> writers = new LinkedHashMap<>();
    writers.put("", writer);
    writers.put(name, aside);
    run(collected(writers), steps -> steps.forEach(this::printStepOrAside));
  }

  /**
   * Starts a query as {@link #print(DataStreamWriter)} does, and has each micro-batch written to a
   * sink.
   *
   * @param writer the query and its output mode
   * @param sink as {@code foreachBatch} takes it
   * @throws Exception if the query cannot start, or dies
   */
  public void print(DataStreamWriter<Row> writer, VoidFunction2<Dataset<Row>, Long> sink)
      throws Exception {
    run(
        List.of(PrintedQuery.collected("", spark(), checkpoint(""), writer, sink)),
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
        List.of(PrintedQuery.withSink("", spark(), checkpoint(""), writer, List::of)),
        steps -> printer.printEnd());
  }

  /**
   * Starts several queries over the same input and prints, step by step, the rows of all of them.
   *
   * @param writers the queries by name, with the same columns; printed in this order
   * @throws Exception if a query cannot start, or dies
   */
  public void printRowsOfEach(Map<String, DataStreamWriter<Row>> writers) throws Exception {
    run(collected(writers), printer::printRowsOfEach);
  }

  /**
   * Starts several queries over the same input and prints, step by step, how many rows each puts
   * out.
   *
   * @param writers the queries by name
   * @throws Exception if a query cannot start, or dies
   */
  public void printRowCountOfEach(Map<String, DataStreamWriter<Row>> writers) throws Exception {
    run(collected(writers), printer::printRowCountOfEach);
  }

  /**
   * Starts several queries over the same input and prints, step by step, the watermark, the state
   * rows and the late rows of each.
   *
   * @param writers the queries by name
   * @throws Exception if a query cannot start, or dies
   */
  public void printLedgerOfEach(Map<String, DataStreamWriter<Row>> writers) throws Exception {
    run(collected(writers), printer::printLedgerOfEach);
  }

  /**
   * Starts several queries over the same input and prints, step by step, what {@link
   * #printRowsOfEach} and {@link #printLedgerOfEach} do.
   *
   * @param writers the queries by name, with the same columns
   * @throws Exception if a query cannot start, or dies
   */
  public void printRowsAndLedgerOfEach(Map<String, DataStreamWriter<Row>> writers)
      throws Exception {
    run(collected(writers), printer::printRowsAndLedgerOfEach);
  }

  /**
   * Starts several queries that bring their own sinks and prints, step by step, how many state rows
   * each has updated, how many it has, and whether it has died.
   *
   * @param writers the queries by name, with their sinks
   * @throws Exception if a query cannot start
   */
  public void printFateOfEach(Map<String, DataStreamWriter<Row>> writers) throws Exception {
    run(
        writers.entrySet().stream()
            .map(
                writer ->
                    PrintedQuery.withFate(
                        writer.getKey(), spark(), checkpoint(writer.getKey()), writer.getValue()))
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
  public void printSink(Sink sink) throws Exception {
    run(List.of(withSink("", sink)), steps -> printer.printStep(steps.get(0)));
  }

  /**
   * Starts queries that have sinks of their own, and prints after each step of the replay what
   * these hold; over the user's directory, only what each micro-batch did to the state.
   *
   * @param sinks the sinks by name; those of the same name are at {@link #output(String)} and
   *     {@link #checkpoint(String)}
   * @throws Exception if a query cannot start, or dies
   */
  public void printSinks(Map<String, Sink> sinks) throws Exception {
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
  public void printDeliveries(Map<String, DataStreamWriter<Row>> writers) throws Exception {
    if (options.isReplay()) {
      replay().steps().forEach(Replay.Step::land);
    }
    List<Row> deliveries = new ArrayList<>();
    for (Map.Entry<String, DataStreamWriter<Row>> writer : writers.entrySet()) {
      String checkpoint = checkpoint(writer.getKey().replace(' ', '-'));
      deliveries.add(Delivery.of(writer.getKey(), writer.getValue(), spark(), checkpoint));
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
  public void printContinuous(DataStreamWriter<Row> writer, Dataset<Row> table) throws Exception {
    DataStreamWriter<Row> query = writer.option("checkpointLocation", checkpoint(""));
    if (options.isReplay()) {
      replay().steps().forEach(Replay.Step::land);
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
    return PrintedQuery.collected(name, spark(), checkpoint(name), writer, null);
  }

  private PrintedQuery withSink(String name, Sink sink) {
    return PrintedQuery.withSink(
        name,
        spark(),
        checkpoint(name),
        sink.writer(),
        options.isReplay() ? () -> sink.table().get().collectAsList() : List::of);
  }

  private void run(List<PrintedQuery> queries, Consumer<List<PrintedQuery.Step>> print)
      throws Exception {
    try (QueryRun run = new QueryRun(options, session, signal, printer, print)) {
      run.start(queries);
      if (options.isReplay()) {
        run.replay(replay());
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
  public void print(String heading, Dataset<Row> table) {
    if (!signal.isReceived()) {
      printer.printInput(heading, "");
      printer.printTable(table.collectAsList());
    }
  }
}
