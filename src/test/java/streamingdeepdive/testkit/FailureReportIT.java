package streamingdeepdive.testkit;

import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.raise_error;
import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.apache.spark.sql.streaming.OutputMode.Update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static streamingdeepdive.testkit.Rows.at;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.crash;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.stop;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** No expectation that is not met passes, and the message says what was seen instead. */
@ExtendWith(StreamingExtension.class)
@Columns("time TIMESTAMP, name STRING")
class FailureReportIT {
  private static Dataset<Row> counts(StreamInput input) {
    return input.toDF().withWatermark("time", "1 minute").groupBy("time", "name").count();
  }

  private static Row event(String time, String name) {
    return row(at(time), name);
  }

  private static AssertionError failure(Runnable script) {
    return catchThrowableOfType(AssertionError.class, script::run);
  }

  @Test
  void showsTheWholeScriptTheStepTheRowsAndTheProgress(FileStream events) {
    AssertionError failure =
        failure(
            () ->
                testStream(
                    counts(events),
                    Update(),
                    add(events, event("12:00", "a")).rows(row(at("12:00"), "a", 1L)),
                    add(events, event("12:10", "b"), event("12:10", "c"))
                        .rows(row(at("12:10"), "b", 2L), row(at("12:10"), "c", 1L))
                        .watermark("12:09"),
                    restart().state(1)));

    assertThat(failure.getMessage().replaceAll("FailureReportIT.java:\\d+", "HERE"))
        .startsWith(
            """
            A step is not as stated

                add(files, row(at("12:00"), "a"))    HERE
                    .rows(row(at("12:00"), "a", 1L))
             => add(files, row(at("12:10"), "b"), row(at("12:10"), "c"))    HERE
                    .rows(row(at("12:10"), "b", 2L), row(at("12:10"), "c", 1L))
                    .watermark("12:09")
                restart()    HERE
                    .state(1)

            rows differ
            expected (! did not come)
            +---+-------------------+----+-----+
            |   |time               |name|count|
            +---+-------------------+----+-----+
            |!  |2026-01-01 12:10:00|b   |2    |
            |   |2026-01-01 12:10:00|c   |1    |
            +---+-------------------+----+-----+
            actual (! was not expected)
            +---+-------------------+----+-----+
            |   |time               |name|count|
            +---+-------------------+----+-----+
            |!  |2026-01-01 12:10:00|b   |1    |
            |   |2026-01-01 12:10:00|c   |1    |
            +---+-------------------+----+-----+


            status of the query {""")
        .contains("last progress of the query {", "\"numRowsTotal\" : 2");
  }

  static Stream<Arguments> unmet() {
    return Stream.of(
        unmet("rows differ", step -> step.rows(row(at("12:10"), "other", 1L))),
        unmet("rows differ", step -> step.rows()),
        unmet("rows differ", step -> step.rows(seen(), seen())),
        unmet(
            "watermark: expected 2026-01-01 12:10:00, was 2026-01-01 12:09:00",
            step -> step.watermark("12:10")),
        unmet("state: expected 2, was 1", step -> step.state(2)),
        unmet("updated: expected 2, was 1", step -> step.updated(2)),
        unmet("dropped: expected 1, was 0", step -> step.dropped(1)),
        unmet("duplicates: expected 1, was none", step -> step.duplicates(1)),
        unmet("microBatches: expected 1, was 2", step -> step.microBatches(1)),
        unmet(
            "the step did not fail, but was expected to",
            step -> step.expectFailure(Exception.class, "")));
  }

  private static Arguments unmet(String message, UnaryOperator<Step> expectation) {
    return Arguments.of(message, expectation);
  }

  private static Row seen() {
    return row(at("12:10"), "a", 1L);
  }

  @ParameterizedTest
  @MethodSource("unmet")
  void anUnmetExpectationFailsTheStep(
      String message, UnaryOperator<Step> expectation, FileStream events) {
    Step step = expectation.apply(add(events, event("12:10", "a")));

    assertThat(failure(() -> testStream(counts(events), Update(), step)))
        .hasMessageContaining(message);
  }

  @Test
  void theStepOfTheParameterizedTestPassesWhenItsExpectationsAreMet(FileStream events) {
    testStream(
        counts(events),
        Update(),
        add(events, event("12:10", "a"))
            .rows(seen())
            .watermark("12:09")
            .state(1)
            .updated(1)
            .dropped(0)
            .microBatches(2));
  }

  @Test
  void aQueryWithoutWatermarkOrStateHasNone(FileStream events) {
    assertThat(
            failure(
                () ->
                    testStream(
                        events.toDF(),
                        Append(),
                        add(events, event("12:10", "a")).watermark("12:09").state(0).dropped(0))))
        .hasMessageContaining("watermark: expected 2026-01-01 12:09:00, was none")
        .hasMessageContaining("state: expected 0, was none")
        .hasMessageContaining("dropped: expected 0, was none");
  }

  @Test
  void theSameRowTwiceIsNotTheRowOnce(FileStream events) {
    Step step = add(events, event("12:10", "a"), event("12:10", "a")).rows(event("12:10", "a"));

    assertThat(failure(() -> testStream(events.toDF(), Append(), step)))
        .hasMessageContaining("rows differ");
  }

  @Test
  void valuesThatLookAlikeShowTheirTypes(FileStream events) {
    Step step = add(events, event("12:10", "a")).rows(row(at("12:10"), "a", 1));

    assertThat(failure(() -> testStream(counts(events), Update(), step)))
        .hasMessageContaining("|1 Integer|")
        .hasMessageContaining("|1 Long|");
  }

  @Test
  void aScriptThatSeesNoRowsSaysSo(FileStream events) {
    assertThat(
            failure(
                () ->
                    testStream(
                        events.toDF().writeStream().format("noop"),
                        add(events, event("12:10", "a")).rows())))
        .hasMessageContaining("rows: this script sees none; give testStream a table to read");
  }

  @Test
  void aQueryThatDiesShowsItsRootCause(FileStream events) {
    Dataset<Row> dies = events.toDF().select(raise_error(lit("it is bad")));

    assertThat(failure(() -> testStream(dies, Append(), add(events, event("12:10", "a")).rows())))
        .hasMessageContaining(" => add(files")
        .hasMessageContaining("the step failed: java.lang.RuntimeException: it is bad")
        .hasCauseInstanceOf(org.apache.spark.sql.streaming.StreamingQueryException.class);
  }

  @Test
  void anotherFailureThanTheExpectedOneIsShown(FileStream events) {
    Dataset<Row> dies = events.toDF().select(raise_error(lit("it is bad")));

    assertThat(
            failure(
                () ->
                    testStream(
                        dies,
                        Append(),
                        add(events, event("12:10", "a"))
                            .expectFailure(RuntimeException.class, "it is good"))))
        .hasMessageContaining(".expectFailure(RuntimeException.class, \"it is good\")")
        .hasMessageContaining("the step failed: java.lang.RuntimeException: it is bad");
  }

  @Test
  void anAssertionOfTheTestItselfIsShownAtItsStep(FileStream events) {
    assertThat(
            failure(
                () ->
                    testStream(
                        events.toDF(),
                        Append(),
                        add(events, event("12:10", "a")),
                        check(() -> assertThat(1).isEqualTo(2)))))
        .hasMessageContaining(" => check(...)")
        .hasMessageContaining("expected: 2");
  }

  @Test
  void nothingToCrashIsAFailure(FileStream events) {
    assertThat(failure(() -> testStream(events.toDF(), Append(), start(), crash())))
        .hasMessageContaining("No micro-batch has run yet that could be replayed");
  }

  @Test
  void aScriptWithoutStepsIsRefused(FileStream events) {
    assertThatThrownBy(() -> testStream(events.toDF(), Append()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("A script without steps tests nothing; add one");
  }

  @Test
  void aStepThatFailsHasNoOtherExpectation() {
    assertThatThrownBy(() -> start().rows().expectFailure(Exception.class, ""))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> start().expectFailure(Exception.class, "").rows())
        .isInstanceOf(IllegalStateException.class);
  }

  /** A lambda's class has no name to tell, so its file and line do. */
  @Test
  void aFailureInTheUsersFunctionSaysWhere(InMemoryStream events) {
    Dataset<String> query =
        events
            .toDF()
            .map((MapFunction<Row, String>) row -> row.getString(1).trim(), Encoders.STRING());

    assertThat(failure(() -> testStream(query, Append(), add(events, row(at("12:00"), null)))))
        .hasMessageContaining("the step failed: java.lang.NullPointerException")
        .hasMessageContaining("\n    at streamingdeepdive.testkit.FailureReportIT.")
        .hasMessageContaining("(FailureReportIT.java:");
  }

  @Test
  void aFailureWithoutAMessageSaysWhatItLedTo(InMemoryStream events) {
    MapFunction<Row, String> function =
        row -> {
          throw new IllegalStateException();
        };
    Dataset<String> query = events.toDF().map(function, Encoders.STRING());

    assertThat(failure(() -> testStream(query, Append(), add(events, event("12:00", "a")))))
        .hasMessageContaining("the step failed: java.lang.IllegalStateException\n")
        .hasMessageContaining(
            "    which led to: org.apache.spark.SparkException: Job aborted due to stage failure");
  }

  static Stream<Arguments> rowsOfOtherTypes() {
    return Stream.of(
        Arguments.of(
            row(at("12:00")),
            "1 values for the 2 columns (time TIMESTAMP,name STRING) in row(at(\"12:00\"))"),
        Arguments.of(
            row(null, null, null),
            "3 values for the 2 columns (time TIMESTAMP,name STRING) in row(null, null, null)"),
        Arguments.of(
            row("12:00", "a"),
            "The column time has the type TIMESTAMP and takes Timestamp, not the String 12:00 in"
                + " row(\"12:00\", \"a\")"),
        Arguments.of(
            row(at("12:00"), 1L),
            "The column name has the type STRING and takes String, not the Long 1 in row(at(\"12:00\"),"
                + " 1L)"));
  }

  @ParameterizedTest
  @MethodSource("rowsOfOtherTypes")
  void aRowThatDoesNotFitIsNamed(Row row, String message, FileStream files, InMemoryStream memory) {
    for (StreamInput input : List.of(files, memory)) {
      assertThatThrownBy(() -> input.addData(List.of(row)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(message);
    }
  }

  @Test
  void longRowsAreCutInTheMiddleAndManyRowsAreCounted(InMemoryStream events) {
    String beginning = "b".repeat(100);
    Row[] rows = new Row[12];
    Arrays.fill(rows, event("12:00", beginning + "e".repeat(100)));

    assertThat(add(events, rows).toString())
        .contains("row(at(\"12:00\"), \"bbbb", "bb ... ee", "eeee\"), 2 more)")
        .hasSizeLessThan(1_400);
  }

  @Test
  void aStepWithoutAMicroBatchSaysWhy(
      TestClock clock, InMemoryStream events, InMemoryStream others) {
    Step add = add(events, event("12:00", "a")).rows(event("12:00", "a"));

    assertThat(failure(() -> testStream(events.toDF(), Append(), stop(), add)))
        .hasMessageContaining("no micro-batch ran in this step: the query is down");
    assertThat(failure(() -> testStream(others.toDF(), Append(), start(), add)))
        .hasMessageContaining("no micro-batch ran in this step: there was no new data");
    assertThat(
            failure(
                () ->
                    testStream(
                        events.toDF(),
                        Append(),
                        start(Trigger.ProcessingTime("10 seconds")),
                        add(events, event("12:01", "b")).rows(event("12:01", "b")))))
        .hasMessageContaining("no micro-batch ran in this step: the query waits for its clock");
  }

  @Test
  void aQueryThatIsDownCannotCrash(InMemoryStream events) {
    assertThat(
            failure(
                () ->
                    testStream(
                        events.toDF(), Append(), stop(), crash(events, event("12:00", "a")))))
        .hasMessageContaining("The query is down and cannot crash; start it first");
  }

  @Test
  void anElementOfAnotherTypeIsNamed(@Columns("tags ARRAY<INT>") InMemoryStream events) {
    assertThatThrownBy(() -> events.addData(List.of(row(List.of("a")))))
        .hasMessage(
            "The column tags has the type INT and takes Integer, not the String a in"
                + " row(Arrays.asList(\"a\"))");
  }
}
