package streamingdeepdive.testkit;

import java.math.BigDecimal;
import java.sql.Date;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.spark.sql.Row;
import scala.collection.JavaConverters;

/** Brings the values of rows into a form that is compared and printed alike on every machine. */
final class Values {
  private static final DateTimeFormatter TIME =
      new DateTimeFormatterBuilder()
          .appendPattern("yyyy-MM-dd HH:mm:ss")
          .appendFraction(ChronoField.NANO_OF_SECOND, 0, 6, true)
          .toFormatter(Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private Values() {}

  /** A row's or struct's values. */
  record Struct(List<Object> values) {
    @Override
    public String toString() {
      return values.stream().map(Values::text).collect(Collectors.joining(", ", "{", "}"));
    }
  }

  static Struct struct(Row row) {
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < row.size(); i++) {
      values.add(comparable(row.get(i)));
    }
    return new Struct(values);
  }

  /** Unlike {@code Timestamp} and {@code byte[]}, the result has a zone-free, deep equality. */
  private static Object comparable(Object value) {
    if (value instanceof Row row) {
      return struct(row);
    } else if (value instanceof Timestamp timestamp) {
      return timestamp.toInstant();
    } else if (value instanceof Date date) {
      return date.toLocalDate();
    } else if (value instanceof BigDecimal decimal) {
      return decimal.stripTrailingZeros();
    } else if (value instanceof byte[] bytes) {
      return "0x" + HexFormat.of().formatHex(bytes);
    } else if (value instanceof scala.collection.Seq<?> seq) {
      return comparable(JavaConverters.seqAsJavaList(seq));
    } else if (value instanceof scala.collection.Map<?, ?> map) {
      return comparable(JavaConverters.mapAsJavaMap(map));
    } else if (value instanceof List<?> list) {
      List<Object> elements = new ArrayList<>();
      list.forEach(element -> elements.add(comparable(element)));
      return elements;
    } else if (value instanceof Map<?, ?> map) {
      Map<Object, Object> entries = new LinkedHashMap<>();
      map.forEach((key, element) -> entries.put(comparable(key), comparable(element)));
      return entries;
    }
    return value;
  }

  /** Prints a value, times in UTC. */
  static String text(Object value) {
    return value instanceof Instant time ? TIME.format(time) : String.valueOf(value);
  }

  /** Prints rows on one line. */
  static String text(List<Row> rows) {
    return rows.stream().map(row -> struct(row).toString()).collect(Collectors.joining(", "));
  }
}
