package streamingdeepdive.recovery;

import static java.util.stream.Collectors.toCollection;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;

/**
 * Requires the columns that a sink knows. One that keeps the newest row of each key would keep one
 * row of several that differ in a column that it does not know.
 */
public final class ExpectedColumns {
  private ExpectedColumns() {}

  /**
   * Requires columns by name and type, in any order.
   *
   * @param rows the rows to be written, streaming or batch
   * @param columns the columns that the sink takes, as DDL
   * @throws IllegalArgumentException if the rows have others
   */
  public static void require(Dataset<Row> rows, String columns) {
    Set<String> expected = describe(StructType.fromDDL(columns));
    Set<String> found = describe(rows.schema());
    if (!found.equals(expected)) {
      throw new IllegalArgumentException(
          "The sink keeps one row per key and takes the columns %s, but the query has %s. Select those, or give the others a sink with keys of their own."
              .formatted(expected, found));
    }
  }

  private static Set<String> describe(StructType schema) {
    return Arrays.stream(schema.fields())
        .map(field -> field.name() + " " + field.dataType().catalogString())
        .collect(toCollection(TreeSet::new));
  }
}
