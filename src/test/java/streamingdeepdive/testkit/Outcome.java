package streamingdeepdive.testkit;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.apache.spark.sql.streaming.StateOperatorProgress;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import streamingdeepdive.app.QueryLog;

/**
 * What a step led to.
 *
 * @param query the query; null before the first start
 * @param seen the rows that the script sees; empty if it cannot see any
 * @param now the micro-batches of this step; empty if there was none
 * @param latest the micro-batches of the last step that had some
 */
record Outcome(
    StreamingQuery query,
    Optional<RowView.Seen> seen,
    Optional<QueryLog.Entry> now,
    Optional<QueryLog.Entry> latest) {

  Optional<Instant> watermark() {
    return latest.flatMap(QueryLog.Entry::watermark);
  }

  /** Of each stateful operator; none if the query has no state. */
  List<Long> state() {
    return latest.map(entry -> entry.state(StateOperatorProgress::numRowsTotal)).orElse(List.of());
  }

  /** What each stateful operator did in this step; nothing if no micro-batch ran. */
  List<Long> stateSum(ToLongFunction<StateOperatorProgress> number) {
    return now.map(entry -> entry.stateSum(number))
        .orElseGet(() -> state().stream().map(any -> 0L).toList());
  }

  Optional<Long> duplicatesDropped() {
    return latest
        .flatMap(QueryLog.Entry::duplicatesDropped)
        .map(any -> now.flatMap(QueryLog.Entry::duplicatesDropped).orElse(0L));
  }

  List<StreamingQueryProgress> progress() {
    return now.map(QueryLog.Entry::progress).orElse(List.of());
  }
}
