package streamingdeepdive.app;

import java.util.Comparator;
import org.apache.spark.sql.Row;

/**
 * Orders rows by their values from left to right, nulls first. A few collected rows are sorted
 * sooner here than by a Spark job.
 */
final class RowOrder implements Comparator<Row> {
  @Override
  public int compare(Row left, Row right) {
    int order = 0;
    for (int i = 0; order == 0 && i < left.size(); i++) {
      order = compareValues(left.get(i), right.get(i));
    }
    return order;
  }

  private int compareValues(Object left, Object right) {
    if (left == null || right == null) {
      return Boolean.compare(left != null, right != null);
    }
    if (left instanceof Row leftRow && right instanceof Row rightRow) {
      return compare(leftRow, rightRow);
    }
    if (left instanceof Comparable<?>) {
      @SuppressWarnings("unchecked") // both are of the column's type
      Comparable<Object> comparable = (Comparable<Object>) left;
      return comparable.compareTo(right);
    }
    return left.toString().compareTo(right.toString());
  }
}
