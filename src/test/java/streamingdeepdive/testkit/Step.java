package streamingdeepdive.testkit;

import static java.util.stream.Collectors.joining;

import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.apache.commons.lang3.StringUtils;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.streaming.StateOperatorProgress;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/**
 * One step of a {@link StreamScript}: something that happens, and what must be seen after it. What
 * is not stated is not checked.
 *
 * <p>A step ends when the query has taken in all data and is idle, so it covers the micro-batch of
 * new data and the no-data micro-batch that may follow it.
 */
public final class Step {
  private static final int LONGEST_ROW = 120;
  private static final int MOST_ROWS = 10;

  /** What happens in the step, with what is added in it. */
  @FunctionalInterface
  interface Action {
    void run(ScriptRun script, List<Runnable> additions) throws Throwable;
  }

  private record Expectation(String text, Function<Outcome, Optional<String>> check) {}

  private record Failure(Class<? extends Throwable> type, String text) {
    boolean isIn(Throwable failure) {
      return type.isInstance(failure) && String.valueOf(failure.getMessage()).contains(text)
          || failure.getCause() != null && isIn(failure.getCause());
    }

    @Override
    public String toString() {
      return "expectFailure(%s.class, \"%s\")".formatted(type.getSimpleName(), text);
    }
  }

  private final List<String> calls = new ArrayList<>();
  private final String place;
  private final Action action;
  private final List<Runnable> additions = new ArrayList<>();
  private final List<Expectation> expectations = new ArrayList<>();
  private Optional<Failure> expectedFailure = Optional.empty();
  private Duration limit = Duration.ofSeconds(60);

  Step(String call, Action action) {
    this.calls.add(call);
    this.action = action;
    this.place =
        StackWalker.getInstance()
            .walk(frames -> frames.dropWhile(Step::isOfThisKit).findFirst())
            .map(caller -> caller.getFileName() + ":" + caller.getLineNumber())
            .orElse("");
  }

  private static boolean isOfThisKit(StackWalker.StackFrame frame) {
    return frame.getClassName().equals(Step.class.getName())
        || frame.getClassName().equals(StreamScript.class.getName());
  }

  /** A step that adds rows. */
  static Step adding(String name, StreamInput input, List<Row> rows, Action action) {
    Step step = new Step(call(name, input, rows), action);
    step.additions.add(() -> input.addData(rows));
    return step;
  }

  /**
   * Adds rows to another stream, too: all are there before the query looks, so that they are in one
   * micro-batch.
   *
   * @param input another stream that the query reads
   * @param rows the rows
   * @return this step
   * @throws IllegalStateException if the step adds no rows
   */
  public Step and(StreamInput input, Row... rows) {
    if (additions.isEmpty()) {
      throw new IllegalStateException("Only a step that adds rows can add more of them");
    }
    List<Row> added = List.of(rows);
    calls.add(call(".and", input, added));
    additions.add(() -> input.addData(added));
    return this;
  }

  /**
   * Expects exactly these rows, in any order: in append and update mode those that came in this
   * step, in complete mode the whole table, and with a table of the script's own all of that.
   *
   * @param expected the rows; none expects none
   * @return this step
   */
  public Step rows(Row... expected) {
    return rows(List.of(expected));
  }

  /**
   * Expects these rows as {@link #rows(Row...)} does.
   *
   * @param expected the rows
   * @return this step
   */
  public Step rows(List<Row> expected) {
    return expectRows("rows", expected, (seen, rows) -> seen.now().get().compare("rows", rows));
  }

  /**
   * Expects exactly the rows of {@link #rows}, in this order.
   *
   * @param expected the rows
   * @return this step
   */
  public Step rowsInOrder(Row... expected) {
    return expectRows(
        "rowsInOrder", List.of(expected), (seen, rows) -> seen.now().get().compareInOrder(rows));
  }

  /**
   * Expects exactly these rows of the last micro-batch of this step.
   *
   * @param expected the rows
   * @return this step
   */
  public Step lastRows(Row... expected) {
    return expectRows(
        "lastRows", List.of(expected), (seen, rows) -> seen.last().get().compare("lastRows", rows));
  }

  /**
   * Expects exactly these rows since the first step, in any order. A micro-batch that was replayed
   * counts once.
   *
   * @param expected the rows
   * @return this step
   */
  public Step allRows(Row... expected) {
    return allRows(List.of(expected));
  }

  /**
   * Expects these rows as {@link #allRows(Row...)} does.
   *
   * @param expected the rows
   * @return this step
   */
  public Step allRows(List<Row> expected) {
    return expectRows(
        "allRows", expected, (seen, rows) -> seen.all().get().compare("allRows", rows));
  }

  /**
   * Expects that the rows of {@link #rows} satisfy assertions.
   *
   * @param assertions throws an AssertionError if they do not
   * @return this step
   */
  public Step rowsSatisfy(Consumer<List<Row>> assertions) {
    return expectSeen(
        "rowsSatisfy(...)", seen -> problem(() -> assertions.accept(seen.now().get().rows())));
  }

  /**
   * Expects that the query and the progress of this step's micro-batches satisfy assertions.
   *
   * @param assertions throws an AssertionError if they do not
   * @return this step
   */
  public Step satisfies(BiConsumer<StreamingQuery, List<StreamingQueryProgress>> assertions) {
    return expect(
        "satisfies(...)",
        outcome -> problem(() -> assertions.accept(outcome.query(), outcome.progress())));
  }

  /**
   * Expects the watermark after this step.
   *
   * @param time as in {@link Rows#at}
   * @return this step
   */
  public Step watermark(String time) {
    return watermark(Rows.instant(time));
  }

  /**
   * Expects the watermark after this step.
   *
   * @param time a time as rows have it
   * @return this step
   */
  public Step watermark(Timestamp time) {
    return watermark(DateTimeUtils.microsToInstant(DateTimeUtils.fromJavaTimestamp(time)));
  }

  private Step watermark(Instant time) {
    return expect(
        "watermark(" + Values.java(time) + ")",
        outcome ->
            difference(
                "watermark",
                time.equals(outcome.watermark().orElse(null)),
                Values.text(time),
                outcome.watermark().map(Values::text)));
  }

  /**
   * Expects the number of rows in the state stores after this step. Spark counts them twice if it
   * computes a micro-batch twice, as for a sorted result or for two actions in {@code
   * foreachBatch}.
   *
   * @param rows the number of rows in all; or one number for each stateful operator, the one that
   *     rows reach first before the others
   * @return this step
   */
  public Step state(long... rows) {
    return expectState("state", Outcome::state, rows);
  }

  /**
   * Expects how many rows this step put into the state stores.
   *
   * @param rows as in {@link #state}
   * @return this step
   */
  public Step updated(long... rows) {
    return expectStateSum("updated", StateOperatorProgress::numRowsUpdated, rows);
  }

  /**
   * Expects how many rows this step removed from the state stores.
   *
   * @param rows as in {@link #state}
   * @return this step
   */
  public Step removed(long... rows) {
    return expectStateSum("removed", StateOperatorProgress::numRowsRemoved, rows);
  }

  /**
   * Expects how many rows this step dropped as late. An aggregation counts after its partial
   * aggregation: the late rows of one group in one task count once.
   *
   * @param rows as in {@link #state}
   * @return this step
   */
  public Step dropped(long... rows) {
    return expectStateSum("dropped", StateOperatorProgress::numRowsDroppedByWatermark, rows);
  }

  /**
   * Expects how many rows this step dropped as duplicates.
   *
   * @param rows the number of rows
   * @return this step
   */
  public Step duplicates(long rows) {
    return expect(
        "duplicates(" + rows + ")",
        outcome -> {
          Optional<Long> seen = outcome.duplicatesDropped();
          return difference(
              "duplicates", seen.equals(Optional.of(rows)), rows, seen.map(String::valueOf));
        });
  }

  /**
   * Expects how many micro-batches this step ran, no-data micro-batches included.
   *
   * @param count the number of micro-batches
   * @return this step
   */
  public Step microBatches(int count) {
    return expect(
        "microBatches(" + count + ")",
        outcome -> {
          int seen = outcome.progress().size();
          return difference("microBatches", seen == count, count, Optional.of("" + seen));
        });
  }

  /**
   * Expects that the query fails in this step. Afterwards it is down, until a step starts it.
   *
   * @param type the type of the failure or of one of its causes
   * @param text a part of that one's message
   * @return this step
   */
  public Step expectFailure(Class<? extends Throwable> type, String text) {
    requireAlone(expectations.isEmpty());
    expectedFailure = Optional.of(new Failure(type, text));
    return this;
  }

  /**
   * Sets how long this step may take; 60 seconds is the default.
   *
   * @param limit the time after which the step fails
   * @return this step
   */
  public Step within(Duration limit) {
    this.limit = limit;
    return this;
  }

  private Step expectRows(
      String name, List<Row> rows, BiFunction<RowView.Seen, List<Row>, Optional<String>> compare) {
    return expectSeen(name + "(" + text(rows) + ")", seen -> compare.apply(seen, rows));
  }

  private Step expectSeen(String text, Function<RowView.Seen, Optional<String>> check) {
    return expect(
        text,
        outcome ->
            outcome
                .seen()
                .map(check)
                .orElse(
                    Optional.of("rows: this script sees none; give testStream a table to read")));
  }

  private Step expectStateSum(
      String name, ToLongFunction<StateOperatorProgress> number, long... rows) {
    return expectState(name, outcome -> outcome.stateSum(number), rows);
  }

  private Step expectState(String name, Function<Outcome, List<Long>> actual, long... rows) {
    List<Long> expected = Arrays.stream(rows).boxed().toList();
    return expect(
        name + "(" + text(expected.stream()) + ")",
        outcome -> {
          List<Long> each = actual.apply(outcome);
          List<Long> seen =
              rows.length == 1 && each.size() > 1
                  ? List.of(each.stream().mapToLong(Long::longValue).sum())
                  : each;
          return difference(
              name,
              seen.equals(expected),
              text(expected.stream()),
              Optional.of(text(seen.stream())).filter(any -> !seen.isEmpty()));
        });
  }

  private static String text(Stream<Long> numbers) {
    return numbers.map(String::valueOf).collect(joining(", "));
  }

  private static Optional<String> difference(
      String name, boolean isEqual, Object expected, Optional<String> seen) {
    return isEqual
        ? Optional.empty()
        : Optional.of("%s: expected %s, was %s".formatted(name, expected, seen.orElse("none")));
  }

  private static Optional<String> problem(Runnable assertions) {
    try {
      assertions.run();
      return Optional.empty();
    } catch (AssertionError e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  private Step expect(String text, Function<Outcome, Optional<String>> check) {
    requireAlone(expectedFailure.isEmpty());
    expectations.add(new Expectation(text, check));
    return this;
  }

  private static void requireAlone(boolean alone) {
    if (!alone) {
      throw new IllegalStateException("A step that fails shows nothing else; drop the rest");
    }
  }

  void run(ScriptRun script) throws Throwable {
    action.run(script, additions);
  }

  Duration limit() {
    return limit;
  }

  /** What is wrong with a step that ended well. */
  List<String> problems(Outcome outcome) {
    if (expectedFailure.isPresent()) {
      return List.of("the step did not fail, but was expected to");
    }
    return expectations.stream().flatMap(e -> e.check().apply(outcome).stream()).toList();
  }

  /** What is wrong with a step that failed. */
  List<String> problems(Throwable failure) {
    String text = FailureReport.describe(failure);
    return expectedFailure
        .map(
            expected ->
                expected.isIn(failure) ? List.<String>of() : List.of("not as expected: " + text))
        .orElse(List.of(text));
  }

  /** The step as it stands in the test, below it what is expected of it. */
  @Override
  public String toString() {
    String expected = expectations.stream().map(e -> "\n        ." + e.text()).collect(joining());
    String failure = expectedFailure.map(f -> "\n        ." + f).orElse("");
    return String.join("", calls) + "    " + place + expected + failure;
  }

  static String call(String name, StreamInput input, List<Row> rows) {
    return name + "(" + input + (rows.isEmpty() ? "" : ", " + text(rows)) + ")";
  }

  /** The first rows; of a long one its beginning and its end. */
  private static String text(List<Row> rows) {
    String text =
        rows.stream()
            .limit(MOST_ROWS)
            .map(row -> StringUtils.abbreviateMiddle(Values.java(row), " ... ", LONGEST_ROW))
            .collect(joining(", "));
    return rows.size() > MOST_ROWS ? text + ", " + (rows.size() - MOST_ROWS) + " more" : text;
  }
}
