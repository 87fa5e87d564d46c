package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.testkit.Rows.at;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.addLines;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class BadRecordsTest {
  private static final String GOOD =
      "{\"event_time\":\"2026-01-01T12:01:00Z\",\"region\":\"eu\",\"amount\":1.0}";

  /** A row without a time becomes a line without that field. */
  private static final Row TIMELESS = row(null, "eu", 2.0);

  private static final String TIMELESS_LINE = "{\"region\":\"eu\",\"amount\":2.0}";

  private String output;

  @BeforeEach
  void newOutput(TestSession session) {
    output = session.newDirectory().toUri().toString();
  }

  @Test
  void eachLineIsASaleOrKeepsItsTextFileAndReason(SparkSession spark, FileStream sales) {
    testStream(
        BadRecords.read(spark, sales.directory()),
        Append(),
        addLines(sales, GOOD, "half", "")
            .rows(
                row(at("12:01"), "eu", 1.0, GOOD, "000000.json", null),
                row(null, null, null, "half", "000000.json", "not JSON"),
                row(null, null, null, "", "000000.json", "blank")));
  }

  private static Dataset<Row> judged(Dataset<Row> lines) {
    return lines.select(BadRecords.judge(col("raw")).as("sale")).select("sale.*");
  }

  /** Whatever the user's session is set to. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void timesAreTheSameInEverySession(
      boolean java8, SparkSession spark, @Columns("raw STRING") InMemoryStream lines) {
    spark.conf().set("spark.sql.session.timeZone", "America/New_York");
    spark.conf().set("spark.sql.datetime.java8API.enabled", java8);

    testStream(
        BadRecords.accepted(judged(lines.toDF())),
        Append(),
        add(lines, row(GOOD), row("half"), row((String) null))
            .rows(row(java8 ? at("12:01").toInstant() : at("12:01"), "eu", 1.0)));
  }

  @Test
  void aLineIsParsedOnceWhateverIsDoneWithItsFields(SparkSession spark) {
    Dataset<Row> accepted =
        BadRecords.accepted(judged(spark.range(1).select(lit(GOOD).as("raw"))))
            .where("amount > 0 AND region = 'eu'");

    assertThat(accepted.queryExecution().executedPlan().toString()).containsOnlyOnce("judge(");
    assertThat(accepted.collectAsList()).containsExactly(sale("12:01", "eu", 1.0));
  }

  @Test
  void directoriesInsideOneAnotherAreRefused(SparkSession spark, FileStream sales) {
    Dataset<Row> lines = BadRecords.read(spark, sales.directory());
    String input = sales.directory();
    for (List<String> places :
        List.of(
            List.of(input + "/out", output + "/checkpoint", "input directory"),
            List.of(output, input + "/checkpoint", "input directory"),
            List.of(output, output + "/checkpoint", "output directory"))) {
      assertThatThrownBy(() -> BadRecords.buildQuery(lines, places.get(0), places.get(1)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("The " + places.get(2))
          .hasMessageContaining("are inside one another");
    }
  }
}
