package streamingdeepdive.lesson;

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
final class ExpectedColumns {
  private ExpectedColumns() {}

  /** Requires the columns of {@link WindowedAggregation#SCHEMA}, in any order, and no others. */
  static void require(Dataset<Row> totals) {
    Set<String> expected = describe(StructType.fromDDL(WindowedAggregation.SCHEMA));
    Set<String> found = describe(totals.schema());
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
