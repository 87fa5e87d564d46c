package streamingdeepdive.testkit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.Trigger;
import streamingdeepdive.app.RowCollector;

/**
 * Tests a streaming query as a script of steps, each with what must be seen after it.
 *
 * <pre>{@code
 * testStream(
 *     totals(sales.toDF()),
 *     OutputMode.Update(),
 *     add(sales, row(at("12:14"), "eu", 1.0)).rows(row("eu", 1.0)).watermark("12:04"),
 *     add(sales, row(at("12:03"), "eu", 2.0)).rows(row("eu", 3.0)).dropped(0),
 *     restart().rows(),
 *     crash(sales, row(at("12:15"), "eu", 4.0)).rows(row("eu", 7.0)).state(1));
 * }</pre>
 *
 * <p>The query is started by the first step, on a checkpoint of its own, and stopped at the end. A
 * script stops at the first step that is not as stated, with an AssertionError that shows the whole
 * script, that step, the difference and the query's last progress.
 */
public final class StreamScript {
  private StreamScript() {}

  /**
   * Runs a script over a query.
   *
   * @param query a streaming Dataset
   * @param mode the output mode
   * @param steps the script
   */
  public static void testStream(Dataset<?> query, OutputMode mode, Step... steps) {
    RowCollector rows = new RowCollector();
    run(
        checkpoint -> query.toDF().writeStream().outputMode(mode).foreachBatch(rows::collect),
        RowView.of(rows, query.toDF(), mode),
        steps);
  }

  /**
   * Runs a script over a query that brings its own sink.
   *
   * @param writer the query, not started; its checkpoint location is set by the script
   * @param table reads what the sink holds, for {@link Step#rows}
   * @param steps the script
   */
  public static void testStream(
      DataStreamWriter<?> writer, Supplier<Dataset<Row>> table, Step... steps) {
    run(checkpoint -> writer, RowView.of(table), steps);
  }

  /**
   * Runs a script over a program that builds its query anew at each start, as one does that looks
   * at its checkpoint first.
   *
   * @param program builds the query, not started, for a checkpoint location
   * @param table reads what the sink holds, for {@link Step#rows}
   * @param steps the script
   */
  public static void testStream(
      Function<String, ? extends DataStreamWriter<?>> program,
      Supplier<Dataset<Row>> table,
      Step... steps) {
    run(program, RowView.of(table), steps);
  }

  /**
   * Runs a script over a query whose sink it does not look into.
   *
   * @param writer the query, not started; its checkpoint location is set by the script
   * @param steps the script, without {@link Step#rows}
   */
  public static void testStream(DataStreamWriter<?> writer, Step... steps) {
    run(checkpoint -> writer, RowView.none(), steps);
  }

  /**
   * Adds rows in one piece. {@link Step#and} adds rows to another stream at the same moment.
   *
   * @param input a stream that the query reads
   * @param rows the rows; a file stream makes one file of them
   * @return the step
   */
  public static Step add(StreamInput input, Row... rows) {
    return add(input, List.of(rows));
  }

  /**
   * Adds rows in one piece.
   *
   * @param input a stream that the query reads
   * @param rows the rows
   * @return the step
   */
  public static Step add(StreamInput input, List<Row> rows) {
    return Step.adding("add", input, List.copyOf(rows), ScriptRun::add);
  }

  /**
   * Runs code that adds data by any other means.
   *
   * @param code adds to what the query reads
   * @return the step
   */
  public static Step add(Runnable code) {
    return new Step("add(...)", (script, none) -> script.add(List.of(code)));
  }

  /**
   * Adds a file of any text.
   *
   * @param input a stream of files that the query reads
   * @param lines the lines of the file
   * @return the step
   */
  public static Step addLines(FileStream input, String... lines) {
    String text = "addLines(%s, %s)".formatted(input, String.join(" | ", lines));
    return new Step(text, (script, none) -> script.add(List.of(() -> input.addLines(lines))));
  }

  /**
   * Adds records of any text, all at once.
   *
   * @param input a Kafka topic that the query reads
   * @param values the values of the records; a null makes a tombstone
   * @return the step
   */
  public static Step addValues(KafkaStream input, String... values) {
    String text = "addValues(%s, %s)".formatted(input, String.join(" | ", values));
    return new Step(text, (script, none) -> script.add(List.of(() -> input.addValues(values))));
  }

  /**
   * Adds several rows, each as a piece of its own, before the query looks: it is stopped, and
   * started when all are there. A file stream gives each row a micro-batch, one behind the other
   * with no no-data micro-batch in between; one in memory or on Kafka puts all into one.
   *
   * @param input a stream that the query reads
   * @param rows the rows
   * @return the step
   */
  public static Step addAllAtOnce(StreamInput input, Row... rows) {
    List<Row> added = List.of(rows);
    return new Step(
        Step.call("addAllAtOnce", input, added),
        (script, none) ->
            script.addAllAtOnce(() -> added.forEach(row -> input.addData(List.of(row)))));
  }

  /**
   * Starts the query. A script does so by itself, unless the query was stopped, has ended or has
   * failed.
   *
   * @return the step
   */
  public static Step start() {
    return new Step("start()", (script, none) -> script.start());
  }

  /**
   * Starts the query with another trigger, which later starts keep. With one that ends, such as
   * {@code Trigger.AvailableNow()}, the step takes until the query has ended.
   *
   * @param trigger the trigger
   * @return the step
   */
  public static Step start(Trigger trigger) {
    return new Step("start(" + trigger + ")", (script, none) -> script.start(trigger));
  }

  /**
   * Starts another query on the same checkpoint, as after a new release.
   *
   * @param changed the query, not started; its checkpoint location is set by the script
   * @return the step
   */
  public static Step start(DataStreamWriter<?> changed) {
    return new Step("start(changed)", (script, none) -> script.start(checkpoint -> changed));
  }

  /**
   * Stops the query. What is added from then on waits until it is started.
   *
   * @return the step
   */
  public static Step stop() {
    return new Step("stop()", (script, none) -> script.stop());
  }

  /**
   * Stops the query and starts it on the same checkpoint.
   *
   * @return the step
   */
  public static Step restart() {
    return new Step(
        "restart()",
        (script, none) -> {
          script.stop();
          script.start();
        });
  }

  /**
   * Starts the query again as after a crash between the last micro-batch's write to the sink and
   * its commit: that micro-batch is replayed.
   *
   * @return the step
   */
  public static Step crash() {
    return new Step("crash()", (script, none) -> script.crash());
  }

  /**
   * Adds rows and lets the query crash between the write to the sink and the commit; started again,
   * it replays the micro-batch. The query must be running; if it waits for a clock, add, advance
   * and then {@link #crash()}.
   *
   * @param input a stream that the query reads
   * @param rows the rows
   * @return the step
   */
  public static Step crash(StreamInput input, Row... rows) {
    return Step.adding("crash", input, List.of(rows), ScriptRun::crash);
  }

  /**
   * Gives the query a copy of a checkpoint that an earlier run has left, as the first step.
   *
   * @param checkpoint its directory
   * @return the step
   */
  public static Step fromCheckpoint(Path checkpoint) {
    return new Step(
        "fromCheckpoint(" + checkpoint + ")", (script, none) -> script.copyCheckpoint(checkpoint));
  }

  /**
   * Moves the clock on.
   *
   * @param clock the clock of the test
   * @param interval such as {@code "10 seconds"}
   * @return the step
   */
  public static Step advance(TestClock clock, String interval) {
    return new Step(
        "advance(\"" + interval + "\")", (script, none) -> script.advance(clock, interval));
  }

  /**
   * Adds rows in pieces, with stops, restarts and crashes in between, as a seed has it. The report
   * of a failure shows them as a script, to be run without this step. The query must run as soon as
   * there is data, without a clock or a trigger that ends.
   *
   * @param seed another one is another script
   * @param input a stream that the query reads
   * @param rows the rows, in the order in which they come
   * @return the step
   */
  public static Step random(long seed, StreamInput input, List<Row> rows) {
    RandomScript random = new RandomScript(seed, input, rows);
    return new Step("random(" + seed + ")" + random, (script, none) -> random.run(script));
  }

  /**
   * Runs code of the test, for instance assertions on files.
   *
   * @param code what to run
   * @return the step
   */
  public static Step check(Runnable code) {
    return new Step("check(...)", (script, none) -> code.run());
  }

  private static void run(
      Function<String, ? extends DataStreamWriter<?>> program, RowView view, Step... steps) {
    if (steps.length == 0) {
      throw new IllegalArgumentException("A script without steps tests nothing; add one");
    }
    List<Step> script = List.of(steps);
    try (ScriptRun run = new ScriptRun(program, view)) {
      for (Step step : script) {
        runStep(run, step, script);
      }
    }
  }

  private static void runStep(ScriptRun run, Step step, List<Step> script) {
    List<String> problems;
    Throwable cause = null;
    try {
      Outcome outcome = run.run(step);
      problems = new ArrayList<>(step.problems(outcome));
      if (!problems.isEmpty() && outcome.progress().isEmpty()) {
        problems.add(run.whyNothingRan());
      }
    } catch (Throwable e) {
      problems = step.problems(e);
      cause = e;
    }
    if (!problems.isEmpty()) {
      throw new AssertionError(FailureReport.of(script, step, problems, run.query()), cause);
    }
  }
}
