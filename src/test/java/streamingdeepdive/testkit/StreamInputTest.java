package streamingdeepdive.testkit;

import static org.apache.spark.sql.streaming.OutputMode.Append;
import static streamingdeepdive.testkit.Rows.at;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.addLines;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.math.BigDecimal;
import java.sql.Date;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What goes into a stream comes out of it, whatever its type, and equals what a test says. */
@ExtendWith(StreamingExtension.class)
@Columns(
    "time TIMESTAMP, day DATE, name STRING, amount DECIMAL(9,2), ratio DOUBLE, code BINARY,"
        + " tags ARRAY<STRING>, sizes MAP<STRING, BIGINT>, place STRUCT<x: INT, y: INT>")
class StreamInputTest {
  private static final Row FULL =
      row(
          at("12:00:00.123456"),
          Date.valueOf(LocalDate.of(2026, 1, 1)),
          "a|b\n\"c\"",
          new BigDecimal("1.5"),
          Double.NaN,
          new byte[] {1, 2},
          List.of("x", "y"),
          Map.of("m", 1L),
          row(1, null));
  private static final Row NULLS = row(null, null, null, null, null, null, null, null, null);

  @Test
  void filesKeepEveryType(FileStream stream) {
    testStream(stream.toDF(), Append(), add(stream, FULL, NULLS).rows(NULLS, FULL));
  }

  @Test
  void memoryKeepsEveryType(InMemoryStream stream) {
    testStream(stream.toDF(), Append(), add(stream, FULL, NULLS).rows(NULLS, FULL));
  }

  @Test
  void kafkaKeepsEveryType(KafkaStream stream) {
    testStream(stream.toDF(), Append(), add(stream, FULL, NULLS).rows(NULLS, FULL));
  }

  @Test
  void filesTakeAnyText(@Columns("name STRING") FileStream stream) {
    testStream(
        stream.toDF(),
        Append(),
        addLines(stream, "{\"name\":\"a\"}", "no json").rows(row("a"), row((Object) null)),
        addLines(stream).rows().microBatches(1));
  }
}
