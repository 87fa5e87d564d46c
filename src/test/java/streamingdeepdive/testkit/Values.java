package streamingdeepdive.testkit;

import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Date;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
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
import org.apache.commons.text.StringEscapeUtils;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
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

  /** The bytes of a BINARY value. */
  record Bytes(String hex) {
    @Override
    public String toString() {
      return "0x" + hex;
    }
  }

  static Struct struct(Row row) {
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < row.size(); i++) {
      values.add(comparable(row.get(i)));
    }
    return new Struct(values);
  }

  /** Unlike {@code Timestamp} and arrays, the result has a zone-free, deep equality. */
  private static Object comparable(Object value) {
    if (value instanceof Row row) {
      return struct(row);
    } else if (value instanceof Timestamp timestamp) {
      return DateTimeUtils.microsToInstant(DateTimeUtils.fromJavaTimestamp(timestamp));
    } else if (value instanceof Date date) {
      return DateTimeUtils.daysToLocalDate(DateTimeUtils.fromJavaDate(date));
    } else if (value instanceof BigDecimal decimal) {
      return decimal.stripTrailingZeros();
    } else if (value instanceof BigInteger integer) {
      return new BigDecimal(integer).stripTrailingZeros();
    } else if (value instanceof byte[] bytes) {
      return new Bytes(HexFormat.of().formatHex(bytes));
    } else if (value instanceof scala.collection.Seq<?> seq) {
      return comparable(JavaConverters.seqAsJavaList(seq));
    } else if (value instanceof scala.collection.Map<?, ?> map) {
      return comparable(JavaConverters.mapAsJavaMap(map));
    } else if (value != null && value.getClass().isArray()) {
      List<Object> elements = new ArrayList<>();
      for (int i = 0; i < Array.getLength(value); i++) {
        elements.add(comparable(Array.get(value, i)));
      }
      return elements;
    } else if (value instanceof List<?> list) {
      return comparable(list.toArray());
    } else if (value instanceof Map<?, ?> map) {
      Map<Object, Object> entries = new LinkedHashMap<>();
      map.forEach((key, element) -> entries.put(comparable(key), comparable(element)));
      return entries;
    }
    return value;
  }

  /** Prints a value for a table, times in UTC. */
  static String text(Object value) {
    if (value instanceof BigDecimal decimal) {
      return decimal.toPlainString();
    }
    return value instanceof Instant time ? TIME.format(time) : String.valueOf(value);
  }

  /** Prints rows as a test writes them. */
  static String java(List<Row> rows) {
    return rows.stream().map(Values::java).collect(Collectors.joining(", "));
  }

  /** Prints a row as a test writes it. */
  static String java(Row row) {
    return code(struct(row));
  }

  /** Prints the time of {@link Rows#at}. */
  static String java(Instant time) {
    String text = LocalDateTime.ofInstant(time, ZoneOffset.UTC).toString().replace('T', ' ');
    String day = Rows.DAY + " ";
    return '"' + (text.startsWith(day) ? text.substring(day.length()) : text) + '"';
  }

  private static String code(Object value) {
    if (value instanceof Struct struct) {
      String values = codes(struct.values());
      return "row(" + (values.equals("null") ? "(Object) null" : values) + ")";
    } else if (value instanceof Instant time) {
      return "at(" + java(time) + ")";
    } else if (value instanceof LocalDate day) {
      return "date(\"" + day + "\")";
    } else if (value instanceof String text) {
      return '"' + StringEscapeUtils.escapeJava(text) + '"';
    } else if (value instanceof Long number) {
      return number + "L";
    } else if (value instanceof Float number) {
      return number + "f";
    } else if (value instanceof Double number && !Double.isFinite(number)) {
      return "Double."
          + (number.isNaN() ? "NaN" : number > 0 ? "POSITIVE_INFINITY" : "NEGATIVE_INFINITY");
    } else if (value instanceof Bytes bytes) {
      return "HexFormat.of().parseHex(\"" + bytes.hex() + "\")";
    } else if (value instanceof BigDecimal decimal) {
      return "new BigDecimal(\"" + decimal.toPlainString() + "\")";
    } else if (value instanceof List<?> list) {
      return "Arrays.asList(" + codes(list) + ")";
    } else if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(entry -> code(entry.getKey()) + ", " + code(entry.getValue()))
          .collect(Collectors.joining(", ", "Map.of(", ")"));
    }
    return String.valueOf(value);
  }

  private static String codes(List<?> values) {
    return values.stream().map(Values::code).collect(Collectors.joining(", "));
  }
}
