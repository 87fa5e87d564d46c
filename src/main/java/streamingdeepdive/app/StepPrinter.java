package streamingdeepdive.app;

import java.io.PrintStream;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Prints a run step by step. What it prints depends on the data alone. */
final class StepPrinter {
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");

  private final SparkSession spark;
  private final PrintStream out;

  StepPrinter(SparkSession spark, PrintStream out) {
    this.spark = spark;
    this.out = out;
  }

  /**
   * Prints one step: what came in, the rows that came out, the watermark and the state after it.
   */
  void print(String heading, String input, List<Row> rows, QueryLog.Entry entry) {
    out.println("== " + heading);
    out.print(input);
    printTable(rows);
    out.println("watermark " + watermark(entry) + state(entry));
    out.println();
  }

  /** Prints rows that no micro-batch brought. */
  void print(String heading, List<Row> rows) {
    out.println("== " + heading);
    printTable(rows);
    out.println();
  }

  /** All rows as Spark shows them, in full width, sorted by all columns. */
  private void printTable(List<Row> rows) {
    if (rows.isEmpty()) {
      out.println("(no rows)");
      return;
    }
    List<Row> sorted = rows.stream().sorted(new RowOrder()).toList();
    out.print(
        spark.createDataFrame(sorted, rows.get(0).schema()).showString(rows.size(), 0, false));
  }

  private String watermark(QueryLog.Entry entry) {
    ZoneId zone = ZoneId.of(spark.conf().get("spark.sql.session.timeZone"));
    return entry
        .watermark()
        .map(time -> time.equals(Instant.EPOCH) ? "none yet" : TIME.format(time.atZone(zone)))
        .orElse("none");
  }

  private static String state(QueryLog.Entry entry) {
    return entry.stateful()
        ? ", state rows %d, rows dropped as late %d"
            .formatted(entry.stateRows(), entry.rowsDroppedAsLate())
        : "";
  }
}
