package streamingdeepdive.lesson;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.addAllAtOnce;
import static streamingdeepdive.testkit.StreamScript.addValues;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.stop;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.KafkaStream;
import streamingdeepdive.testkit.StreamingExtension;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class KafkaSourceTest {
  private static final Row NOON = sale("12:00", "eu", 1.0);
  private static final Row ONE = sale("13:00", "us", 2.0);

  private static Dataset<Row> records(KafkaStream sales, Map<String, String> options) {
    return KafkaSource.records(
        SparkSession.active(), sales.topic().bootstrapServers(), sales.topic().name(), options);
  }

  private static Dataset<Row> events(KafkaStream sales, Map<String, String> options) {
    return KafkaSource.events(records(sales, options));
  }

  @Test
  void hasTheRowsAndTypesOfTheFileSource(KafkaStream sales, SparkSession spark) {
    Dataset<Row> events =
        KafkaSource.read(spark, sales.topic().bootstrapServers(), sales.topic().name());

    testStream(events, Append(), add(sales, NOON, ONE).rows(NOON, ONE));
    assertThat(events.schema())
        .isEqualTo(FileSource.readTable(spark, "sample-data/sales").schema());
  }

  private static String value(String region) {
    return "{\"event_time\":\"2026-01-01T12:00:00Z\",\"region\":\"%s\",\"amount\":1.0}"
        .formatted(region);
  }

  /** The value, and why it is rejected; {@link SaleLineTest} has all reasons. */
  private static final String[][] REJECTED = {
    {"no json", "not JSON"},
    {"{\"event_time\":\"2026-01-01T12:0", "half a line"},
    {value("eu") + value("us"), "more than one JSON value"},
    {value("eu") + " and more", "not JSON"},
    {"[" + value("eu") + "]", "not a JSON object"},
    {value("eu").replace("Z", ""), "event_time is not a date and time with a zone"},
    {value("eu").replace("2026", "1969"), "event_time is not in the years 1970 to 9999"},
    {value("eu").replace("1.0", "\"much\""), "amount is not a number"},
    {value("a\\u0000"), "region has the character U+0000"},
    {"{\"region\":\"eu\"}", "no event_time"},
    {"", "blank"},
    {null, "no value"}
  };

  @Test
  void aValueThatIsNoSaleIsKeptApartAsItIs(KafkaStream sales) {
    String[] values = Stream.of(REJECTED).map(rejected -> rejected[0]).toArray(String[]::new);
    Row[] rejected = new Row[values.length];
    for (int i = 0; i < values.length; i++) {
      byte[] value = values[i] == null ? null : values[i].getBytes(UTF_8);
      rejected[i] = row(sales.topic().name(), 0, (long) i, value, REJECTED[i][1]);
    }

    testStream(
        events(sales, Map.of()),
        Append(),
        addValues(sales, values).rows(),
        add(sales, NOON).rows(NOON));
    testStream(KafkaSource.rejected(records(sales, Map.of())), Append(), start().rows(rejected));
  }

  /** Spark computes no more of a column than the query uses. */
  @Test
  void aWrongTypeIsRejectedByAQueryThatDoesNotUseTheColumn(KafkaStream sales) {
    testStream(
        events(sales, Map.of()).select("region"),
        Append(),
        addValues(sales, value("eu").replace("1.0", "\"much\""), value("us")).rows(row("us")));
  }

  @Test
  void eachValueIsParsedOnce(KafkaStream sales, SparkSession spark) {
    sales.addValues(value("eu"), "no json");
    Dataset<Row> records =
        KafkaSource.readTable(
            spark, sales.topic().bootstrapServers(), sales.topic().name(), Map.of());
    Dataset<Row> events = KafkaSource.events(records).where("amount > 0");
    Dataset<Row> rejected = KafkaSource.rejected(records).where("offset > 0");

    assertThat(events.collectAsList()).containsExactly(NOON);
    assertThat(rejected.select("reason").collectAsList()).containsExactly(row("not JSON"));
    for (Dataset<Row> rows : List.of(events, rejected)) {
      assertThat(rows.queryExecution().executedPlan().toString()).containsOnlyOnce("judge(");
    }
  }

  @Test
  void aRestartGoesOnWhereTheCheckpointIsThoughTheStartIsEarliest(KafkaStream sales) {
    testStream(
        events(sales, Map.of("startingOffsets", "earliest")),
        Append(),
        add(sales, NOON).rows(NOON),
        restart().rows(),
        stop(),
        add(sales, ONE),
        start().rows(ONE));
  }

  @Test
  void withoutACheckpointItStartsWithTheFirstRecordOrWithTheNextOne(KafkaStream sales) {
    testStream(events(sales, Map.of()), Append(), add(sales, NOON).rows(NOON));
    testStream(
        events(sales, Map.of("startingOffsets", "latest")),
        Append(),
        start().rows(),
        add(sales, ONE).rows(ONE));
  }

  @Test
  void maxOffsetsPerTriggerLimitsTheMicroBatch(KafkaStream sales) {
    testStream(
        events(sales, Map.of("maxOffsetsPerTrigger", "2")),
        Append(),
        // Before there is any record the query runs one micro-batch without rows.
        start().rows().microBatches(1),
        add(sales, NOON, NOON, NOON, ONE, ONE).rows(NOON, NOON, NOON, ONE, ONE).microBatches(3));
    testStream(events(sales, Map.of()), Append(), addAllAtOnce(sales, NOON, ONE).microBatches(1));
  }
}
