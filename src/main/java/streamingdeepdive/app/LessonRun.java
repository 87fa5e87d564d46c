package streamingdeepdive.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileUtil;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.recovery.Checkpoint;

/**
 * What a main needs and Spark does not give: a local session, the sample data, places for what its
 * queries write, and the printing.
 *
 * <p>Without options the sample data is replayed: a file lands, the queries take it in, what they
 * did is printed, the next file lands; after the last one the run ends, and its directories are
 * deleted. With options the queries run on the user's own data until the process is stopped.
 */
public final class LessonRun implements AutoCloseable {
  private static final long POLL_MILLIS = 100;

  private final String name;
  private final Arguments arguments;
  private final boolean isGuest = LocalSpark.isRunning();
  private final Path scratch;
  private final ProgramEnd end;
  private final SparkSession spark;
  private final StepPrinter printer;
  private final QueryPrinter queries;
  private final Replay replay = new Replay();
  private int inputs;

  private LessonRun(String name, Arguments arguments) throws IOException {
    this.name = name;
    this.arguments = arguments;
    this.scratch = Files.createTempDirectory("streaming-deep-dive-");
    this.end = new ProgramEnd(this::deleteFiles);
    this.spark = LocalSpark.openFor(name, isReplay());
    this.printer = new StepPrinter(spark, System.out);
    this.queries = new QueryPrinter(spark, printer);
    if (!isReplay()) {
      spark.streams().addListener(queries);
    }
  }

  /**
   * Starts the run of a main. A command line that cannot be carried out is one sentence on stderr
   * and exit code 2; what the main throws is one, and exit code 1.
   *
   * @param args the command line
   * @param purpose what the main is about to do, printed at once: Spark takes its time to start
   * @param options the names of the options for data of the user's own: all are given, or none
   * @return the run, to be closed by the caller
   */
  public static LessonRun open(String[] args, String purpose, String... options) {
    Class<?> main =
        StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).getCallerClass();
    String name = main.getSimpleName();
    Arguments arguments = Arguments.parseOrExit(name, purpose, List.of(options), args);
    System.out.println(purpose + "\n");
    ProgramEnd.quieten();
    JavaRuntime.prepare();
    String master = System.getProperty("spark.master", "local");
    if (arguments.isReplay() && !master.startsWith("local")) {
      throw Arguments.exit(
          "On "
              + master
              + " name places that all executors reach. "
              + Arguments.usage(name, List.of(options)));
    }
    try {
      return new LessonRun(name, arguments);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns the session.
   *
   * @return a local session in UTC; on data of the user's own under spark-submit, what that sets up
   */
  public SparkSession spark() {
    return spark;
  }

  boolean isReplay() {
    return arguments.isReplay();
  }

  /**
   * Returns a directory of files to read as a stream.
   *
   * @param folder a folder of the sample data; each call begins with its first file again
   * @return the user's {@code --input}, or {@code --folder} if the main has an option of that name;
   *     in a replay a new directory in which the files land
   */
  public String input(String folder) {
    if (!isReplay()) {
      return arguments.get(arguments.has(folder) ? folder : "input");
    }
    DirectoryFeed feed = new DirectoryFeed(scratch.resolve("input-" + ++inputs));
    feedFrom(folder, feed);
    return feed.uri();
  }

  /**
   * Returns a directory of files to read as a table.
   *
   * @param folder a folder of the sample data
   * @return the user's {@code --folder}; in a replay a new directory in which the files are
   */
  public String table(String folder) {
    if (!isReplay()) {
      return arguments.get(folder);
    }
    DirectoryFeed feed = new DirectoryFeed(scratch.resolve("input-" + ++inputs));
    Replay.read(folder).forEach(file -> feed.land(file.name(), file.content()));
    return feed.uri();
  }

  void feedFrom(String folder, Replay.Feed feed) {
    if (isReplay()) {
      replay.add(folder, feed);
    }
  }

  /**
   * Returns the value of any other option.
   *
   * @param option its name
   * @param inReplay its value in a replay
   * @return what the user gave, or that
   */
  public String option(String option, String inReplay) {
    return isReplay() ? inReplay : arguments.get(option);
  }

  /**
   * Returns a directory for what a query writes.
   *
   * @param query the query's name
   * @return a directory in the user's {@code --output}; in a replay a new one
   */
  public String output(String query) {
    return option("output", place("output")) + "/" + query;
  }

  /**
   * Returns a query's checkpoint location.
   *
   * @param query the query's name
   * @return a directory in the user's {@code --checkpoint}; in a replay a new one
   * @throws IllegalStateException if the user's is that of another main or query
   */
  public String checkpoint(String query) {
    String parent = option("checkpoint", place("checkpoint"));
    new Checkpoint(spark, parent).claim(name);
    return parent + "/" + query;
  }

  private String place(String name) {
    return new org.apache.hadoop.fs.Path(scratch.resolve(name).toUri()).toString();
  }

  /**
   * Prints the rows of a micro-batch: {@code foreachBatch(lesson::print)}.
   *
   * @param batch the rows; all of them are collected
   * @param batchId the micro-batch's number
   */
  public void print(Dataset<Row> batch, Long batchId) {
    queries.collect(batch, batchId);
  }

  /**
   * Has what a query's sink holds printed after each step of a replay.
   *
   * @param query the query
   * @param table reads its sink
   */
  public void show(StreamingQuery query, Supplier<Dataset<Row>> table) {
    queries.show(query, table);
  }

  /**
   * Feeds the sample data to queries file by file, prints what each did, and stops them. A query
   * that dies is said to have, as long as another one lives. On data of the user's own it prints
   * each micro-batch, until the process is stopped.
   *
   * @param started the queries; if there are several, each has a name
   * @throws Exception if the last of the queries has died
   */
  public void replay(StreamingQuery... started) throws Exception {
    if (!isReplay()) {
      awaitTermination(started);
      return;
    }
    if (replay.isEmpty()) {
      printer.printInput("all files are there", "");
      queries.printStep(0, started);
    }
    while (!replay.isEmpty()) {
      Replay.Step step = replay.next();
      printer.printInput(step.file().name(), step.file().content());
      step.land();
      queries.printStep(step.feed().rowsToAwait(), started);
    }
    for (StreamingQuery query : started) {
      query.stop();
    }
  }

  /** Returns when one of the queries has ended, and throws what it died of. */
  private static void awaitTermination(StreamingQuery... queries) throws Exception {
    for (int i = 0; !queries[i].awaitTermination(POLL_MILLIS); i = (i + 1) % queries.length) {}
  }

  /**
   * Feeds some files to a query, one by one, and prints their names only.
   *
   * @param files how many
   * @param query a query that is running and has a name
   */
  public void feed(int files, StreamingQuery query) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < files; i++) {
      Replay.Step step = replay.next();
      names.add(step.file().name());
      step.land();
      query.processAllAvailable();
    }
    printer.printInput(query.name() + ": " + String.join(", ", names), "");
  }

  /** Lands all files that are left, without waiting for a query. */
  public void feedAll() {
    while (!replay.isEmpty()) {
      replay.next().land();
    }
  }

  /**
   * Prints a heading and the rows of a batch query.
   *
   * @param heading the line above them
   * @param rows any batch Dataset
   */
  public void printTable(String heading, Dataset<Row> rows) {
    printer.printInput(heading, "");
    printer.printRows(rows.collectAsList());
    printer.printLine("");
  }

  /**
   * Prints in one line why something was refused, or died.
   *
   * @param failure what was thrown; directories of this run are named without their parents
   */
  public void printFailure(Exception failure) {
    String parent = Pattern.quote(scratch.toString().substring(1));
    printer.printLine(ProgramEnd.sentence(failure).replaceAll("(file:)?/*" + parent + "/?", ""));
  }

  private void deleteFiles() {
    FileUtil.fullyDelete(scratch.toFile());
    if (!isGuest) {
      LocalSpark.deleteFiles();
    }
  }

  /** Ends the queries and the session, and deletes the directories of this run. */
  @Override
  public void close() throws TimeoutException {
    end.awaitIfEnding();
    if (isGuest) {
      for (StreamingQuery query : spark.streams().active()) {
        query.stop();
      }
      SparkSession.clearActiveSession();
    } else {
      LocalSpark.close(spark);
    }
    end.close();
  }
}
