package streamingdeepdive.app;

import static org.apache.spark.sql.functions.current_timestamp;
import static org.apache.spark.sql.functions.lit;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;

/**
 * What the main of a lesson needs around its query: a session, an input and a print of each step.
 *
 * <p>Without {@code --input} the sample data is replayed: a file lands, the query takes it in, the
 * step is printed, the next file lands; after the last one the run ends. With it the query follows
 * a directory until the process is stopped.
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

  private static final Instant REPLAY_CLOCK = Instant.parse("2026-01-01T18:00:00Z");

  private final AppOptions options;
  private final AppSession session;
  private final StopSignal signal;
  private final StepPrinter printer;
  private final LandingDirectory landing;
  private Replay replay = new Replay(List.of());

  StreamingApp(AppOptions options, AppSession session, StopSignal signal) {
    this.options = options;
    this.session = session;
    this.signal = signal;
    this.printer = new StepPrinter(session.spark(), System.out);
    this.landing = new LandingDirectory(session.scratch().resolve("input"));
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
    int exitCode = CommandLineRun.execute(main, purpose, args, body);
    if (exitCode != 0) {
      System.exit(exitCode);
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
    return input(Replay.ofFolder(folder));
  }

  /**
   * Returns the directory of event files to read.
   *
   * @param files how many files to replay instead of the sample data
   * @param lines the lines of each, from the first, which is 1; they are not printed
   * @return the user's directory, or the one in which the generated files land
   */
  public String generatedInput(int files, IntFunction<String> lines) {
    return input(Replay.ofGenerated(files, lines));
  }

  /**
   * Returns the directory of event files to read.
   *
   * @return the user's directory, or one in which all the sample data is before a query starts
   * @throws Exception if the sample data cannot be read
   */
  public String backlog() throws Exception {
    return input(Replay.ofFolder("sales").landedIn(landing));
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
   * Returns the directory to write to.
   *
   * @return the user's directory, or one that is deleted with the replay
   */
  public String output() {
    if (options.isReplay()) {
      return session.scratch().resolve("output").toUri().toString();
    }
    if (options.output == null) {
      throw new UsageException("This main writes files; say where with --output.");
    }
    return options.output;
  }

  private String input(Replay replay) {
    this.replay = replay;
    return options.isReplay() ? landing.uri() : options.input;
  }

  /**
   * Starts a query and prints the rows, the watermark and the state of each step, until the replay
   * or the process ends.
   *
   * @param writer the query and its output mode; sink, checkpoint and trigger are set here
   * @throws Exception if the query cannot start, or dies
   */
  public void print(DataStreamWriter<Row> writer) throws Exception {
    run(Map.of("", writer), PrintedQuery.Sink.COLLECTOR, steps -> printer.printStep(steps.get(0)));
  }

  /**
   * Starts a query that writes files and prints what it reads, until the replay or the process
   * ends.
   *
   * @param writer the query with its sink; checkpoint and trigger are set here
   * @throws Exception if the query cannot start, or dies
   */
  public void write(DataStreamWriter<Row> writer) throws Exception {
    run(Map.of("", writer), PrintedQuery.Sink.OWN, steps -> printer.printEnd());
  }

  /**
   * Starts several queries over the same input and prints, step by step, the rows of all of them.
   *
   * @param writers the queries by name, with the same columns; printed in this order
   * @throws Exception if a query cannot start, or dies
   */
  public void printRowsOfEach(Map<String, DataStreamWriter<Row>> writers) throws Exception {
    run(writers, PrintedQuery.Sink.COLLECTOR, printer::printRowsOfEach);
  }

  /**
   * Starts several queries over the same input and prints, step by step, how many rows each puts
   * out.
   *
   * @param writers the queries by name
   * @throws Exception if a query cannot start, or dies
   */
  public void printRowCountOfEach(Map<String, DataStreamWriter<Row>> writers) throws Exception {
    run(writers, PrintedQuery.Sink.COLLECTOR, printer::printRowCountOfEach);
  }

  /**
   * Starts several queries over the same input and prints, step by step, the watermark, the state
   * rows and the late rows of each.
   *
   * @param writers the queries by name
   * @throws Exception if a query cannot start, or dies
   */
  public void printLedgerOfEach(Map<String, DataStreamWriter<Row>> writers) throws Exception {
    run(writers, PrintedQuery.Sink.COLLECTOR, printer::printLedgerOfEach);
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
    run(
        writers,
        PrintedQuery.Sink.COLLECTOR,
        steps -> {
          printer.printRowsOfEach(steps);
          printer.printLedgerOfEach(steps);
        });
  }

  /**
   * Starts several queries that bring their own sinks and prints, step by step, how many state rows
   * each has updated, how many it has, and whether it has died.
   *
   * @param writers the queries by name, with their sinks
   * @throws Exception if a query cannot start
   */
  public void printFateOfEach(Map<String, DataStreamWriter<Row>> writers) throws Exception {
    run(writers, PrintedQuery.Sink.OWN_AND_DEADLY, printer::printRowsOfEach);
  }

  private void run(
      Map<String, DataStreamWriter<Row>> writers,
      PrintedQuery.Sink sink,
      Consumer<List<PrintedQuery.Step>> print)
      throws Exception {
    try (QueryRun run = new QueryRun(options, session, signal, printer, print)) {
      run.start(writers, sink);
      if (options.isReplay()) {
        run.replay(replay, landing);
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
