package streamingdeepdive.testkit;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.OutputMode;
import streamingdeepdive.app.QueryLog;
import streamingdeepdive.app.RowCollector;

/** How a script sees the rows that its query has put out. */
@FunctionalInterface
interface RowView {
  /** Looks after a step, which ran these micro-batches. */
  Optional<ActualRows> after(Optional<QueryLog.Entry> step);

  /** Sees nothing: the sink is the test's own business. */
  static RowView none() {
    return step -> Optional.empty();
  }

  /** Reads a table anew after each step. */
  static RowView of(Supplier<Dataset<Row>> table) {
    return step -> {
      Dataset<Row> rows = table.get();
      return Optional.of(
          new ActualRows(rows.sparkSession(), List.of(rows.columns()), rows.collectAsList()));
    };
  }

  /** Sees what the micro-batches of the step put out; in complete mode the last table. */
  static RowView of(RowCollector collector, Dataset<Row> query, OutputMode mode) {
    return new RowView() {
      private List<Row> rows = List.of();

      @Override
      public Optional<ActualRows> after(Optional<QueryLog.Entry> step) {
        List<List<Row>> batches =
            step.map(batch -> collector.take(batch.lastBatchId())).orElse(List.of());
        if (!mode.equals(OutputMode.Complete())) {
          rows = batches.stream().flatMap(List::stream).toList();
        } else if (!batches.isEmpty()) {
          rows = batches.get(batches.size() - 1);
        }
        return Optional.of(new ActualRows(query.sparkSession(), List.of(query.columns()), rows));
      }
    };
  }
}
