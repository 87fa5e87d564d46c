package streamingdeepdive.app;

import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.recovery.Checkpoint;

/**
 * What a main needs and Spark does not give: session, sample data, places to write, printing.
 * Without options the sample data is replayed; with options the queries run on the user's own data.
 */
public final class LessonRun implements AutoCloseable {
  private final Arguments arguments;
  private final Path scratch;
  private final ProgramEnd end;
  private final SparkSession spark;
  private final QueryPrinter printer;
  private final Replay replay = new Replay();

  private LessonRun(Arguments arguments) {
    this.arguments = arguments;
    this.scratch = DirectoryFeed.newDirectory("streaming-deep-dive-");
    this.end = new ProgramEnd(scratch);
    this.spark = LocalSpark.open(arguments.main(), isReplay());
    this.printer = new QueryPrinter(spark);
    if (!isReplay()) {
      spark.streams().addListener(printer);
    }
  }

  /**
   * {@return the run of a main} A command line that cannot be carried out is one sentence on stderr
   * and exit code 2; what the main throws is one, and exit code 1.
   *
   * @param args the command line
   * @param purpose what the main is about to do, printed at once: Spark takes its time to start
   * @param options the options for data of the user's own: all are given, or none
   */
  public static LessonRun open(String[] args, String purpose, String... options) {
    Class<?> main =
        StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).getCallerClass();
    Arguments arguments = Arguments.parseOrExit(main, purpose, List.of(options), args);
    System.out.println(purpose + "\n");
    ProgramEnd.quieten();
    return new LessonRun(arguments);
  }

  /** {@return a local session in UTC; on the user's data under spark-submit, what that sets up} */
  public SparkSession spark() {
    return spark;
  }

  boolean isReplay() {
    return arguments.isReplay();
  }

  /**
   * {@return a directory to read as a stream: the user's {@code --folder} or else {@code --input};
   * in a replay a new one in which the files land}
   *
   * @param folder a folder of the sample data; each call begins with its first file again
   */
  public String input(String folder) {
    Path own = scratch.resolve("input-" + UUID.randomUUID());
    DirectoryFeed feed = feedFrom(folder, new DirectoryFeed(own));
    String option = arguments.values().containsKey(folder) ? folder : "input";
    return DirectoryFeed.literal(arguments.get(option, feed.uri()));
  }

  /**
   * {@return a directory to read as a table: the user's {@code --folder}, or one with the files}
   *
   * @param folder a folder of the sample data
   */
  public String table(String folder) {
    DirectoryFeed feed = new DirectoryFeed(scratch.resolve(folder));
    Replay.read(folder).forEach(file -> feed.land(file.name(), file.content()));
    return DirectoryFeed.literal(arguments.get(folder, feed.uri()));
  }

  <F extends Replay.Feed> F feedFrom(String folder, F feed) {
    if (isReplay()) {
      replay.add(folder, feed);
    }
    return feed;
  }

  /**
   * {@return the value of any other option}
   *
   * @param option its name
   * @param inReplay its value in a replay
   */
  public String option(String option, String inReplay) {
    return arguments.get(option, inReplay);
  }

  /**
   * {@return a directory for what a query writes, in the user's {@code --output} or a new one}
   *
   * @param query the query's name
   */
  public String output(String query) {
    return place("output") + "/" + query;
  }

  /**
   * {@return a query's checkpoint location, in the user's {@code --checkpoint}, if that is of no
   * other main or query, or a new one}
   *
   * @param query the query's name
   */
  public String checkpoint(String query) {
    new Checkpoint(spark, place("checkpoint")).claim(arguments.main());
    return place("checkpoint") + "/" + query;
  }

  private String place(String option) {
    return arguments.get(option, DirectoryFeed.uri(scratch.resolve(option)));
  }

  /**
   * Prints the rows of a micro-batch: {@code foreachBatch(lesson::print)}.
   *
   * @param batch the rows; all of them are collected
   * @param batchId the micro-batch's number
   */
  public void print(Dataset<Row> batch, Long batchId) {
    printer.collect(batch, batchId);
  }

  /**
   * Prints what a query's sink holds after each step of a replay.
   *
   * @param query the query
   * @param table reads its sink
   */
  public void show(StreamingQuery query, Supplier<Dataset<Row>> table) {
    printer.show(query, table);
  }

  /**
   * Feeds the sample data to queries file by file, prints what each did, and stops them. On data of
   * the user's own it prints each micro-batch, until one of the queries has ended.
   *
   * @param started the queries; if there are several, each has a name
   * @throws Exception if the last of the queries has died; on data of the user's own, the first
   */
  public void replay(StreamingQuery... started) throws Exception {
    if (!isReplay()) {
      for (int i = 0; !ProgramEnd.hasCome(started[i % started.length]); i++) {}
    } else if (replay.isEmpty()) {
      printer.printInput("all files are there", "");
      printer.printStep(0, started);
    }
    while (!replay.isEmpty()) {
      Replay.Step step = replay.next();
      printer.printInput(step.file().name(), step.file().content());
      step.land();
      printer.printStep(step.feed().rowsToAwait(), started);
    }
    for (StreamingQuery query : started) {
      query.stop();
    }
  }

  /**
   * Feeds some files to a query, one by one, and prints their names only.
   *
   * @param files how many
   * @param query a query that is running and has a name
   */
  public void feed(int files, StreamingQuery query) {
    String names = "";
    for (int i = 0; i < files; i++) {
      Replay.Step step = replay.next();
      names += (i == 0 ? ": " : ", ") + step.file().name();
      step.land();
      query.processAllAvailable();
    }
    printer.printInput(query.name() + names, "");
  }

  /** Lands all files that are left, without waiting for a query. */
  public void feedAll() {
    while (!replay.isEmpty()) {
      replay.next().land();
    }
  }

  /**
   * Prints the rows of a batch query.
   *
   * @param heading the line above them
   * @param rows any batch Dataset
   */
  public void printTable(String heading, Dataset<Row> rows) {
    printer.printTable(heading, rows.collectAsList());
  }

  /**
   * Prints in one line why something was refused, or died.
   *
   * @param failure what was thrown; directories of this run are named without their parents
   */
  public void printFailure(Exception failure) {
    String directory = "(file:(//)?)?" + Pattern.quote(scratch.toUri().getPath());
    printer.printLine(ProgramEnd.sentence(failure).replaceAll(directory, "") + "\n");
  }

  /** Ends the queries and the session, and deletes the directories of this run. */
  @Override
  public void close() {
    end.close(spark::stop);
  }
}
