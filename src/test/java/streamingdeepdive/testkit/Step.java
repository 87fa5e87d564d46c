package streamingdeepdive.testkit;

import static java.util.stream.Collectors.joining;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.apache.spark.sql.Row;

/**
 * One step of a {@link StreamScript}: something that happens, and what must be seen after it. What
 * is not stated is not checked.
 *
 * <p>A step ends when the query has taken in all data and is idle, so it covers the micro-batch of
 * new data and the no-data micro-batch that may follow it.
 */
public final class Step {
  /** What happens in the step. */
  @FunctionalInterface
  interface Action {
    void run(ScriptRun script) throws Throwable;
  }

  private record Expectation(String text, Function<Outcome, Optional<String>> check) {}

  private record Failure(Class<? extends Throwable> type, String text) {
    boolean isIn(Throwable failure) {
      return type.isInstance(failure) && String.valueOf(failure.getMessage()).contains(text)
          || failure.getCause() != null && isIn(failure.getCause());
    }

    @Override
    public String toString() {
      return "expectFailure(%s, \"%s\")".formatted(type.getSimpleName(), text);
    }
  }

  private final String text;
  private final String place;
  private final Action action;
  private final List<Expectation> expectations = new ArrayList<>();
  private Optional<Failure> expectedFailure = Optional.empty();
  private Duration limit = Duration.ofSeconds(60);

  Step(String text, Action action) {
    this.text = text;
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

  /**
   * Expects exactly these rows, in any order: in append and update mode those that came in this
   * step, in complete mode the whole table, and with a table of the script's own all of that.
   *
   * @param expected the rows; none expects none
   * @return this step
   */
  public Step rows(Row... expected) {
    List<Row> rows = List.of(expected);
    return expect("rows(" + Values.text(rows) + ")", outcome -> outcome.compareRows(rows));
  }

  /**
   * Expects the watermark after this step.
   *
   * @param time as in {@link Rows#at}
   * @return this step
   */
  public Step watermark(String time) {
    return expectEqual("watermark", Rows.instant(time), Outcome::watermark);
  }

  /**
   * Expects the number of rows in the state stores after this step, of all operators together.
   *
   * @param rows the number of rows
   * @return this step
   */
  public Step state(long rows) {
    return expectEqual("state", rows, Outcome::stateRows);
  }

  /**
   * Expects how many rows this step put into the state stores.
   *
   * @param rows the number of rows
   * @return this step
   */
  public Step updated(long rows) {
    return expectEqual("updated", rows, Outcome::stateRowsUpdated);
  }

  /**
   * Expects how many rows this step dropped as late. An aggregation counts after its partial
   * aggregation: the late rows of one group in one task count once.
   *
   * @param rows the number of rows
   * @return this step
   */
  public Step dropped(long rows) {
    return expectEqual("dropped", rows, Outcome::rowsDroppedAsLate);
  }

  /**
   * Expects how many rows this step dropped as duplicates.
   *
   * @param rows the number of rows
   * @return this step
   */
  public Step duplicates(long rows) {
    return expectEqual("duplicates", rows, Outcome::duplicatesDropped);
  }

  /**
   * Expects how many micro-batches this step ran, no-data micro-batches included.
   *
   * @param count the number of micro-batches
   * @return this step
   */
  public Step microBatches(int count) {
    return expectEqual("microBatches", count, outcome -> Optional.of(outcome.microBatches()));
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

  private <T> Step expectEqual(String name, T expected, Function<Outcome, Optional<T>> actual) {
    String wanted = Values.text(expected);
    return expect(
        name + "(" + wanted + ")",
        outcome -> {
          Optional<T> seen = actual.apply(outcome);
          return seen.equals(Optional.of(expected))
              ? Optional.empty()
              : Optional.of(
                  "%s: expected %s, was %s"
                      .formatted(name, wanted, seen.map(Values::text).orElse("none")));
        });
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

  Action action() {
    return action;
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

  /** Whether a failure is the expected one. */
  boolean expects(Throwable failure) {
    return expectedFailure.isPresent() && expectedFailure.get().isIn(failure);
  }

  /** The step as it stands in the test, below it what is expected of it. */
  @Override
  public String toString() {
    String expected = expectations.stream().map(e -> "\n        ." + e.text()).collect(joining());
    String failure = expectedFailure.map(f -> "\n        ." + f).orElse("");
    return text + "    " + place + expected + failure;
  }
}
