package streamingdeepdive.testkit;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Date;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
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
      check(values.get(i), schema.apply(i), row);
    }
  }

  private static void check(Object value, StructField column, Row row) {
    List<Class<?>> types = TYPES.get(name(column.dataType()));
    if (value == null || types == null) {
      return;
    }
    if (types.stream().noneMatch(type -> type.isInstance(value))) {
      throw new IllegalArgumentException(
          "The column %s is %s and takes a %s, not the %s %s in %s"
              .formatted(
                  column.name(),
                  column.dataType().sql(),
                  types.get(0).getSimpleName(),
                  value.getClass().getSimpleName(),
                  value,
                  Values.java(row)));
    }
    if (value instanceof Row struct) {
      check(struct, (StructType) column.dataType(), row);
    }
  }

  private static String name(DataType type) {
    return type.simpleString().replaceFirst("[(<].*", "");
  }
}
