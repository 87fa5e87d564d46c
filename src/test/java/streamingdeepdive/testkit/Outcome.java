package streamingdeepdive.testkit;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Row;
import streamingdeepdive.app.QueryLog;

/**
 * What a step led to.
 *
 * @param rows the rows that the script sees; empty if it cannot see any
 * @param now the micro-batches of this step; empty if there was none
 * @param latest the micro-batches of the last step that had some
 */
record Outcome(
    Optional<ActualRows> rows, Optional<QueryLog.Entry> now, Optional<QueryLog.Entry> latest) {

  Optional<String> compareRows(List<Row> expected) {
    return rows.map(actual -> actual.compare(expected))
        .orElse(Optional.of("rows: this script sees none; give testStream a table to read"));
  }

  Optional<Instant> watermark() {
    return latest.flatMap(QueryLog.Entry::watermark);
  }

  Optional<Long> stateRows() {
    return latest.filter(QueryLog.Entry::stateful).map(QueryLog.Entry::stateRows);
  }

  Optional<Long> stateRowsUpdated() {
    return counted(now.map(QueryLog.Entry::stateRowsUpdated));
  }

  Optional<Long> rowsDroppedAsLate() {
    return counted(now.map(QueryLog.Entry::rowsDroppedAsLate));
  }

  Optional<Long> duplicatesDropped() {
    return latest
        .flatMap(QueryLog.Entry::duplicatesDropped)
        .map(any -> now.flatMap(QueryLog.Entry::duplicatesDropped).orElse(0L));
  }

  int microBatches() {
    return now.map(entry -> entry.batchIds().size()).orElse(0);
  }

  /** A stateful query that ran no micro-batch did nothing. */
  private Optional<Long> counted(Optional<Long> count) {
    return stateRows().map(any -> count.orElse(0L));
  }
}
