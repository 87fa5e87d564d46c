package streamingdeepdive.testkit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import streamingdeepdive.testkit.Values.Struct;

/**
 * The rows that a script sees after a step.
 *
 * @param columns the names of their columns
 */
record ActualRows(SparkSession spark, List<String> columns, List<Row> rows) {

  /**
   * Compares in any order; returns nothing if equal, else both tables with differing rows marked.
   */
  Optional<String> compare(String name, List<Row> expectedRows) {
    List<Struct> expected = structs(expectedRows);
    List<Struct> actual = structs(rows);
    List<Struct> missing = minus(expected, actual);
    List<Struct> unexpected = minus(actual, expected);
    if (missing.isEmpty() && unexpected.isEmpty()) {
      return Optional.empty();
    }
    boolean typed = missing.stream().anyMatch(m -> contains(unexpected, m.toString()));
    return Optional.of(
        name
            + " differ\nexpected (! did not come)\n"
            + table(sorted(expected), missing, typed)
            + "actual (! was not expected)\n"
            + table(sorted(actual), unexpected, typed));
  }

  /** Compares in order; returns nothing if equal, else both tables. */
  Optional<String> compareInOrder(List<Row> expectedRows) {
    Optional<String> difference = compare("rows", expectedRows);
    if (difference.isPresent() || structs(expectedRows).equals(structs(rows))) {
      return difference;
    }
    return Optional.of(
        "rows are the expected ones in another order\nexpected\n"
            + table(structs(expectedRows), List.of(), false)
            + "actual\n"
            + table(structs(rows), List.of(), false));
  }

  private static List<Struct> structs(List<Row> rows) {
    return rows.stream().map(Values::struct).toList();
  }

  private static List<Struct> minus(List<Struct> rows, List<Struct> others) {
    List<Struct> rest = new ArrayList<>(rows);
    others.forEach(rest::remove);
    return rest;
  }

  private static boolean contains(List<Struct> rows, String text) {
    return rows.stream().anyMatch(row -> row.toString().equals(text));
  }

  /** So that equal rows of both tables are at like places. */
  private static List<Struct> sorted(List<Struct> rows) {
    return rows.stream().sorted(Comparator.comparing(Struct::toString)).toList();
  }

  /** Spark's own table. */
  private String table(List<Struct> rows, List<Struct> marked, boolean typed) {
    if (rows.isEmpty()) {
      return "(no rows)\n";
    }
    int width =
        Stream.concat(Stream.of(columns.size()), rows.stream().map(row -> row.values().size()))
            .max(Comparator.naturalOrder())
            .get();
    StructType schema = new StructType().add(" ", DataTypes.StringType);
    for (int i = 0; i < width; i++) {
      schema = schema.add(i < columns.size() ? columns.get(i) : "", DataTypes.StringType);
    }
    List<Struct> unmatched = new ArrayList<>(marked);
    List<Row> lines = new ArrayList<>();
    for (Struct row : rows) {
      boolean mark = unmatched.remove(row);
      String[] cells = new String[width + 1];
      cells[0] = mark ? "!" : " ";
      for (int i = 0; i < width; i++) {
        cells[i + 1] = i < row.values().size() ? cell(row.values().get(i), mark && typed) : "";
      }
      lines.add(RowFactory.create((Object[]) cells));
    }
    return spark.createDataFrame(lines, schema).showString(lines.size(), 0, false);
  }

  /** Values of different types can look the same, 1 and 1L for instance. */
  private static String cell(Object value, boolean typed) {
    String text = Values.text(value);
    return typed && value != null ? text + " " + value.getClass().getSimpleName() : text;
  }
}
