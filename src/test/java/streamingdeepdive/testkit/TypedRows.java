package streamingdeepdive.testkit;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Date;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;

/** Rows that a test adds to a stream, as a Dataset. */
final class TypedRows {
  private static final Map<String, List<Class<?>>> TYPES =
      Map.ofEntries(
          Map.entry("boolean", List.of(Boolean.class)),
          Map.entry("tinyint", List.of(Byte.class)),
          Map.entry("smallint", List.of(Short.class)),
          Map.entry("int", List.of(Integer.class)),
          Map.entry("bigint", List.of(Long.class)),
          Map.entry("float", List.of(Float.class)),
          Map.entry("double", List.of(Double.class)),
          Map.entry("decimal", List.of(BigDecimal.class, BigInteger.class)),
          Map.entry("string", List.of(String.class)),
          Map.entry("binary", List.of(byte[].class)),
          Map.entry("timestamp", List.of(Timestamp.class, Instant.class)),
          Map.entry("timestamp_ntz", List.of(LocalDateTime.class)),
          Map.entry("date", List.of(Date.class, LocalDate.class)),
          Map.entry("struct", List.of(Row.class)));

  private TypedRows() {}

  /**
   * Spark itself would fail inside a task, and name neither the row nor the column.
   *
   * @throws IllegalArgumentException if a row has more or fewer values than there are columns, or
   *     one of another type
   */
  static Dataset<Row> of(SparkSession spark, StructType schema, List<Row> rows) {
    for (Row row : rows) {
      check(row, schema, row);
    }
    return spark.createDataFrame(rows, schema);
  }

  private static void check(Row values, StructType schema, Row row) {
    if (values.size() != schema.size()) {
      throw new IllegalArgumentException(
          "%d values for the %d columns (%s) in %s"
              .formatted(values.size(), schema.size(), schema.toDDL(), Values.java(row)));
    }
    for (int i = 0; i < values.size(); i++) {
      check(values.get(i), schema.apply(i).dataType(), schema.apply(i).name(), row);
    }
  }

  private static void check(Object value, DataType type, String column, Row row) {
    if (value instanceof Object[] array && type instanceof ArrayType) {
      check(Arrays.asList(array), type, column, row);
    } else if (value instanceof List<?> list && type instanceof ArrayType array) {
      list.forEach(element -> check(element, array.elementType(), column, row));
    } else if (value instanceof Map<?, ?> map && type instanceof MapType types) {
      map.keySet().forEach(key -> check(key, types.keyType(), column, row));
      map.values().forEach(element -> check(element, types.valueType(), column, row));
    }
    List<Class<?>> classes = TYPES.get(name(type));
    if (value == null || classes == null) {
      return;
    }
    if (classes.stream().noneMatch(each -> each.isInstance(value))) {
      throw new IllegalArgumentException(
          "The column %s has the type %s and takes %s, not the %s %s in %s"
              .formatted(
                  column,
                  type.sql(),
                  classes.get(0).getSimpleName(),
                  value.getClass().getSimpleName(),
                  value,
                  Values.java(row)));
    }
    if (value instanceof Row struct) {
      check(struct, (StructType) type, row);
    }
  }

  private static String name(DataType type) {
    return type.simpleString().replaceFirst("[(<].*", "");
  }
}
