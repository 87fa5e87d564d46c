package streamingdeepdive.lesson;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.addValues;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.stop;
import static streamingdeepdive.testkit.StreamScript.testStream;

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
  static final Row NOON = sale("12:00", "eu", 1.0);
  static final Row ONE = sale("13:00", "us", 2.0);

  static Dataset<Row> records(KafkaStream sales, Map<String, String> options) {
    return KafkaSource.records(
        SparkSession.active(), sales.topic().bootstrapServers(), sales.topic().name(), options);
  }

  static Dataset<Row> events(KafkaStream sales, Map<String, String> options) {
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

  static String value(String region) {
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
}
