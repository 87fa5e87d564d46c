package streamingdeepdive.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import streamingdeepdive.lesson.BadRecords;
import streamingdeepdive.lesson.OutputModes;
import streamingdeepdive.testkit.TestSession;

class SetAsideTest {
  @BeforeAll
  static void startSpark() {
    TestSession.open().close();
  }

  /** Several queries over the same lines, each of which leaves them out. */
  private static void body(AppRun app) throws Exception {
    Dataset<Row> sales = app.accepted(BadRecords.read(app.spark(), app.input("bad-records")));
    app.out()
        .rowsOfEach(Map.of("one", OutputModes.append(sales), "two", OutputModes.append(sales)));
  }

  @Test
  void eachStepSaysHowManyLinesAreNoSaleWhereAndWhy() {
    CapturedOutput output =
        CapturedOutput.of(
            () ->
                assertThat(
                        CommandLineRun.execute(
                            SetAsideTest.class,
                            "Tests.",
                            new String[0],
                            new DirectoryOptions(),
                            SetAsideTest::body))
                    .isZero());

    assertThat(output.err()).isEmpty();
    assertThat(output.out().lines().filter(line -> line.startsWith("lines set aside")))
        .containsExactly(
            "lines set aside 6, in 01-not-json.json: blank, half a line, more than one JSON value,"
                + " not JSON, not a JSON object",
            "lines set aside 5, in 02-fields.json: a field twice, no region, region is not text,"
                + " region is null, unknown field currency",
            "lines set aside 6, in 03-times.json: event_time is not a date and time with a zone,"
                + " event_time is not in the years 1900 to 9999, event_time is not text,"
                + " event_time is null",
            "lines set aside 5, in 04-amounts.json: amount is not a number, amount is not finite,"
                + " amount is null");
    assertThat(output.out().lines().filter(line -> line.startsWith("|one")))
        .containsExactly(
            "|one  |2026-01-01 12:01:00|eu    |10.0  |",
            "|one  |2026-01-01 12:02:00|us    |7.0   |",
            "|one  |2026-01-01 12:04:00|eu    |5.0   |",
            "|one  |2026-01-01 12:05:00|ap    |4.0   |");
  }
}
