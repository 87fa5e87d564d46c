package streamingdeepdive.app;

import java.io.PrintStream;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.GenericRowWithSchema;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Prints a run step by step. What it prints depends on the data alone. */
final class StepPrinter {
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");
  private static final StructType LEDGER =
      StructType.fromDDL(
          "query STRING, watermark STRING, `state rows` BIGINT, `rows dropped as late` BIGINT");
  private static final StructType ROW_COUNT =
      StructType.fromDDL("query STRING, `rows put out` BIGINT");

  private final SparkSession spark;
  private final PrintStream out;

  StepPrinter(SparkSession spark, PrintStream out) {
    this.spark = spark;
    this.out = out;
  }

  /** Prints what came in. */
  void printInput(String heading, String content) {
    out.println("== " + heading);
    out.print(content);
  }

  /** Prints what became of lines that the queries did not get. */
  void printSetAside(List<String> sentences) {
    sentences.forEach(out::println);
  }

  /** Prints the end of a step that shows its input only. */
  void printEnd() {
    out.println();
  }

  /** Prints why there is nothing else to print. */
  void printFailure(String sentence) {
    out.println(sentence);
    out.println();
  }

  /** Prints the rows that came out of a query, then its watermark and its state. */
  void printStep(PrintedQuery.Step step) {
    printRows(step.rows());
    QueryLog.Entry entry = step.entry();
    out.print("watermark " + watermark(entry));
    if (entry.stateful()) {
      out.printf(
          ", state rows %d, rows dropped as late %d", entry.stateRows(), entry.rowsDroppedAsLate());
    }
    entry.duplicatesDropped().ifPresent(count -> out.print(", duplicates dropped " + count));
    out.println();
    out.println();
  }

  /** Prints the rows that came out of several queries as one table. */
  void printRowsOfEach(List<PrintedQuery.Step> steps) {
    List<Row> rows =
        steps.stream()
            .flatMap(step -> step.rows().stream().map(row -> withQuery(step.query(), row)))
            .toList();
    printTable(rows);
  }

  /** Prints the rows of several queries, then the watermark and the state of each. */
  void printRowsAndLedgerOfEach(List<PrintedQuery.Step> steps) {
    printRowsOfEach(steps);
    printLedgerOfEach(steps);
  }

  /** Prints the watermark and the state of several queries as one table. */
  void printLedgerOfEach(List<PrintedQuery.Step> steps) {
    List<Row> rows =
        steps.stream()
            .map(
                step ->
                    (Row)
                        new GenericRowWithSchema(
                            new Object[] {
                              step.query(),
                              watermark(step.entry()),
                              step.entry().stateRows(),
                              step.entry().rowsDroppedAsLate()
                            },
                            LEDGER))
            .toList();
    printTable(rows);
  }

  /** Prints how many rows came out of several queries as one table. */
  void printRowCountOfEach(List<PrintedQuery.Step> steps) {
    List<Row> rows =
        steps.stream()
            .map(
                step ->
                    (Row)
                        new GenericRowWithSchema(
                            new Object[] {step.query(), (long) step.rows().size()}, ROW_COUNT))
            .toList();
    printTable(rows);
  }

  /** Prints rows that came of no micro-batch. */
  void printTable(List<Row> rows) {
    printRows(rows);
    out.println();
  }

  /** All rows as Spark shows them, in full width, sorted by all columns. */
  private void printRows(List<Row> rows) {
    if (rows.isEmpty()) {
      out.println("(no rows)");
      return;
    }
    List<Row> sorted = rows.stream().sorted(new RowOrder()).toList();
    out.print(
        spark.createDataFrame(sorted, rows.get(0).schema()).showString(rows.size(), 0, false));
  }

  private static Row withQuery(String query, Row row) {
    StructField[] fields =
        Stream.concat(
                Stream.of(DataTypes.createStructField("query", DataTypes.StringType, false)),
                Stream.of(row.schema().fields()))
            .toArray(StructField[]::new);
    Object[] values =
        Stream.concat(Stream.of(query), IntStream.range(0, row.size()).mapToObj(row::get))
            .toArray();
    return new GenericRowWithSchema(values, DataTypes.createStructType(fields));
  }

  private String watermark(QueryLog.Entry entry) {
    ZoneId zone = ZoneId.of(spark.conf().get("spark.sql.session.timeZone"));
    return entry
        .watermark()
        .map(time -> time.equals(Instant.EPOCH) ? "none yet" : TIME.format(time.atZone(zone)))
        .orElse("none");
  }
}
