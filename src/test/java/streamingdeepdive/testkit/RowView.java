package streamingdeepdive.testkit;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.OutputMode;
import streamingdeepdive.app.QueryLog;
import streamingdeepdive.app.RowCollector;

/** How a script sees the rows that its query has put out. */
@FunctionalInterface
interface RowView {
  /**
   * What a script can see.
   *
   * @param now what came in the step; in complete mode or of a table all that is there
   * @param last what the last micro-batch of the step put out
   * @param all what has come since the first step
   */
  record Seen(Supplier<ActualRows> now, Supplier<ActualRows> last, Supplier<ActualRows> all) {}

  /** Looks after a step, which ran these micro-batches. */
  Optional<Seen> after(Optional<QueryLog.Entry> step);

  /** Sees nothing: the sink is the test's own business. */
  static RowView none() {
    return step -> Optional.empty();
  }

  /** Reads a table anew for each statement on its rows. */
  static RowView of(Supplier<Dataset<Row>> table) {
    Supplier<ActualRows> seen =
        () -> {
          Dataset<Row> rows = table.get();
          return new ActualRows(rows.sparkSession(), List.of(rows.columns()), rows.collectAsList());
        };
    return step -> Optional.of(new Seen(seen, seen, seen));
  }

  /** Sees what each micro-batch put out; one that is replayed replaces its own rows. */
  static RowView of(RowCollector collector, Dataset<Row> query, OutputMode mode) {
    SortedMap<Long, List<Row>> all = new TreeMap<>();
    return step -> {
      SortedMap<Long, List<Row>> now =
          step.map(entry -> collector.take(entry.last().batchId())).orElseGet(TreeMap::new);
      all.putAll(now);
      List<Row> last = now.isEmpty() ? List.of() : now.get(now.lastKey());
      if (mode.equals(OutputMode.Complete())) {
        List<Row> table = all.isEmpty() ? List.of() : all.get(all.lastKey());
        return Optional.of(seen(query, table, last, table));
      }
      return Optional.of(seen(query, rows(now), last, rows(all)));
    };
  }

  private static List<Row> rows(SortedMap<Long, List<Row>> batches) {
    return batches.values().stream().flatMap(List::stream).toList();
  }

  private static Seen seen(Dataset<Row> query, List<Row> now, List<Row> last, List<Row> all) {
    return new Seen(() -> actual(query, now), () -> actual(query, last), () -> actual(query, all));
  }

  private static ActualRows actual(Dataset<Row> query, List<Row> rows) {
    List<String> columns =
        rows.isEmpty() || rows.get(0).schema() == null
            ? List.of(query.columns())
            : List.of(rows.get(0).schema().fieldNames());
    return new ActualRows(query.sparkSession(), columns, rows);
  }
}
