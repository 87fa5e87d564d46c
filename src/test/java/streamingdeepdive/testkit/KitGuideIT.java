package streamingdeepdive.testkit;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;
import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.testkit.Rows.at;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.Rows.values;
import static streamingdeepdive.testkit.Rows.window;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.advance;
import static streamingdeepdive.testkit.StreamScript.random;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.stop;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The code of the package's page. */
@ExtendWith(StreamingExtension.class)
@Columns("time TIMESTAMP, user STRING")
class KitGuideIT {
  @Test
  void countsPerMinute(InMemoryStream clicks) {
    Dataset<Row> counts =
        clicks
            .toDF()
            .withWatermark("time", "1 minute")
            .groupBy(functions.window(col("time"), "1 minute"))
            .count();
    testStream(
        counts,
        OutputMode.Append(),
        add(clicks, row(at("10:00:05"), "ann"), row(at("10:00:30"), "bob")).rows().state(1),
        add(clicks, row(at("10:02:00"), "ann"))
            .rows(row(window("10:00", "10:01"), 2L))
            .watermark("10:01")
            .state(1),
        restart(),
        add(clicks, row(at("10:00:59"), "ann")).rows().dropped(1));
  }

  @Test
  void dataBeforeTheStart(InMemoryStream clicks) {
    Dataset<Row> users = clicks.toDF().select("user");
    clicks.addData(List.of(row(at("10:00"), "ann")));
    testStream(users, OutputMode.Append(), start().rows(values("ann")));
  }

  @Test
  void aJoin(InMemoryStream clicks, InMemoryStream sales) {
    Dataset<Row> joined =
        clicks.toDF().as("c").join(sales.toDF().as("s"), expr("c.user = s.user")).select("c.user");
    testStream(
        joined,
        OutputMode.Append(),
        add(clicks, row(at("10:00"), "ann"))
            .and(sales, row(at("10:01"), "ann"))
            .rows(values("ann")));
  }

  @Test
  void aRunThatEnds(InMemoryStream clicks) {
    Dataset<Row> users = clicks.toDF().select("user");
    testStream(
        users,
        OutputMode.Append(),
        stop(),
        add(clicks, row(at("10:00"), "ann")),
        start(Trigger.AvailableNow()).rows(values("ann")));
  }

  @Test
  void aClock(TestClock clock, InMemoryStream clicks) {
    Dataset<Row> users = clicks.toDF().select("user");
    testStream(
        users,
        OutputMode.Append(),
        start(Trigger.ProcessingTime("10 seconds")),
        add(clicks, row(at("10:00"), "ann")).rows(),
        advance(clock, "10 seconds").rows(values("ann")));
  }

  @Test
  void aNewRelease(InMemoryStream clicks) {
    Dataset<Row> counts = clicks.toDF().groupBy("user").count();
    DataStreamWriter<Row> changed =
        counts.where("count > 1").writeStream().outputMode(OutputMode.Update()).format("noop");
    testStream(
        counts.writeStream().outputMode(OutputMode.Update()).format("noop"),
        add(clicks, row(at("10:00"), "ann")).state(1),
        stop(),
        start(changed),
        add(clicks, row(at("10:00"), "bob")).state(2));
  }

  @Test
  void exactlyOnce(InMemoryStream clicks) {
    Dataset<Row> users = clicks.toDF().select("user");
    List<Row> rows = List.of(row(at("10:00"), "ann"), row(at("10:01"), "bob"));
    testStream(users, OutputMode.Append(), random(42, clicks, rows).allRows(values("ann", "bob")));
  }

  @Test
  void thePageShowsThisCode() throws IOException {
    Path sources = Path.of("src/test/java/streamingdeepdive/testkit");
    String code = squeeze(Files.readString(sources.resolve("KitGuideIT.java")));
    List<String> blocks =
        Pattern.compile("<pre>\\{@code\n(.*?) \\* }</pre>", Pattern.DOTALL)
            .matcher(Files.readString(sources.resolve("package-info.java")))
            .results()
            .map(block -> block.group(1).replaceAll("(?m)^ \\* ?", ""))
            .filter(block -> !block.startsWith("<"))
            .toList();

    assertThat(blocks)
        .hasSizeGreaterThan(5)
        .allSatisfy(block -> assertThat(code).contains(body(block)));
  }

  /** The page's class ends after its first test. */
  private static String body(String block) {
    return squeeze(block).replaceFirst("}}$", "}");
  }

  private static String squeeze(String code) {
    return code.replaceAll("\\s+", "");
  }
}
