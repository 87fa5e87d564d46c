package streamingdeepdive.app;

import java.io.PrintStream;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** The layout of what mains print. It depends on the data alone. */
final class StepPrinter {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

  private final SparkSession spark;
  private final PrintStream out;

  StepPrinter(SparkSession spark, PrintStream out) {
    this.spark = spark;
    this.out = out;
  }

  /** Prints what came in; lines end with a line feed. */
  void printInput(String heading, String content) {
    out.println("== " + heading);
    out.print(content);
  }

  /** Prints rows as Spark shows them, in full width, sorted by all columns. */
  void printRows(List<Row> rows) {
    if (rows.isEmpty()) {
      out.println("(no rows)");
      return;
    }
    List<Row> sorted = rows.stream().sorted(StepPrinter::compare).toList();
    out.print(
        spark.createDataFrame(sorted, rows.get(0).schema()).showString(rows.size(), 0, false));
  }

  /** Says what the micro-batches of a step did beside putting out rows. */
  String text(QueryLog.Entry entry) {
    StringBuilder text = new StringBuilder("watermark " + watermark(entry));
    if (entry.stateful()) {
      text.append(", state rows " + entry.stateRows());
      text.append(" (" + entry.stateRowsUpdated() + " updated)");
      text.append(", rows dropped as late " + entry.rowsDroppedAsLate());
    }
    entry.duplicatesDropped().ifPresent(count -> text.append(", duplicates dropped " + count));
    entry.rowsPutOut().ifPresent(count -> text.append(", rows put out " + count));
    return text.toString();
  }

  private String watermark(QueryLog.Entry entry) {
    ZoneId zone = ZoneId.of(spark.conf().get("spark.sql.session.timeZone"));
    return entry
        .watermark()
        .map(time -> time.equals(Instant.EPOCH) ? "none yet" : TIME.format(time.atZone(zone)))
        .orElse("none");
  }

  void printLine(String line) {
    out.println(line);
  }

  /** By the values from left to right, nulls first: a few rows are sorted sooner than by a job. */
  private static int compare(Row left, Row right) {
    int order = 0;
    for (int i = 0; order == 0 && i < left.size(); i++) {
      order = compareValues(left.get(i), right.get(i));
    }
    return order;
  }

  @SuppressWarnings("unchecked") // both are of the column's type
  private static int compareValues(Object left, Object right) {
    if (left == null || right == null) {
      return Boolean.compare(left != null, right != null);
    }
    if (left instanceof Row leftRow && right instanceof Row rightRow) {
      return compare(leftRow, rightRow);
    }
    return left instanceof Comparable<?>
        ? ((Comparable<Object>) left).compareTo(right)
        : Comparator.<String>naturalOrder().compare(left.toString(), right.toString());
  }
}
