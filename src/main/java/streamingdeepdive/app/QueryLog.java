package streamingdeepdive.app;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.apache.spark.sql.execution.streaming.CommitLog;
import org.apache.spark.sql.execution.streaming.StreamingQueryWrapper;
import org.apache.spark.sql.streaming.StateOperatorProgress;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/**
 * Tells what the micro-batches of a running query did, from its progress and its commit log.
 *
 * <p>The progress alone does not do: it gives the watermark a micro-batch ran with, not the one it
 * led to, and it reports micro-batches of an idle query that never ran.
 */
public final class QueryLog {
  private final StreamingQuery query;
  private final CommitLog commits;
  private long lastBatchId = -1;

  /**
   * Reads from the first micro-batch of this run.
   *
   * @param query as {@code start()} gave it
   */
  public QueryLog(StreamingQuery query) {
    this.query = query;
    String checkpoint = ((StreamingQueryWrapper) query).streamingQuery().resolvedCheckpointRoot();
    this.commits = new CommitLog(query.sparkSession(), checkpoint + "/commits");
  }

  /**
   * What consecutive micro-batches did together. Without state all numbers of state rows are 0.
   *
   * @param batchIds their numbers
   * @param watermark the watermark after the last one; empty if the query has none, the epoch while
   *     no event time has been seen
   * @param stateful whether the query keeps state
   * @param stateRows rows in the state stores after the last one
   * @param stateRowsUpdated rows put into the state stores
   * @param rowsDroppedAsLate rows dropped behind the watermark; an aggregation counts them after
   *     its partial aggregation, so that the late rows of one group in one task count once
   * @param duplicatesDropped rows dropped by a deduplication; empty if the query has none
   * @param rowsPutOut rows that the sink has taken; empty if it does not say
   */
  public record Entry(
      List<Long> batchIds,
      Optional<Instant> watermark,
      boolean stateful,
      long stateRows,
      long stateRowsUpdated,
      long rowsDroppedAsLate,
      Optional<Long> duplicatesDropped,
      Optional<Long> rowsPutOut) {

    /** {@return the number of the last micro-batch} */
    public long lastBatchId() {
      return batchIds.get(batchIds.size() - 1);
    }
  }

  /**
   * {@return the micro-batches since the last call, if there were any} Call it while the query is
   * idle or has ended.
   *
   * @throws IllegalStateException if the query no longer keeps the progress of some of them
   */
  public Optional<Entry> take() {
    List<StreamingQueryProgress> progress =
        Arrays.stream(query.recentProgress())
            .filter(QueryLog::hasRun)
            .filter(p -> p.batchId() > lastBatchId)
            .toList();
    if (progress.isEmpty()) {
      return Optional.empty();
    }
    long first = progress.get(0).batchId();
    if (lastBatchId >= 0 && first > lastBatchId + 1) {
      throw new IllegalStateException(
          "The query no longer keeps the progress of micro-batch %s; raise spark.sql.streaming.numRecentProgressUpdates"
              .formatted(first - 1));
    }
    lastBatchId = progress.get(progress.size() - 1).batchId();
    return Optional.of(entry(progress));
  }

  /** An idle query reports too, under the number of the micro-batch to come. */
  static boolean hasRun(StreamingQueryProgress progress) {
    return progress.durationMs().containsKey("addBatch");
  }

  Entry entry(List<StreamingQueryProgress> progress) {
    StreamingQueryProgress last = progress.get(progress.size() - 1);
    List<StateOperatorProgress> operators =
        progress.stream().flatMap(p -> Arrays.stream(p.stateOperators())).toList();
    return new Entry(
        progress.stream().map(StreamingQueryProgress::batchId).toList(),
        Optional.ofNullable(last.eventTime().get("watermark")).map(used -> watermarkAfter(last)),
        !operators.isEmpty(),
        Arrays.stream(last.stateOperators()).mapToLong(StateOperatorProgress::numRowsTotal).sum(),
        sum(operators, StateOperatorProgress::numRowsUpdated),
        sum(operators, StateOperatorProgress::numRowsDroppedByWatermark),
        operators.stream()
            .map(operator -> operator.customMetrics().get("numDroppedDuplicateRows"))
            .filter(Objects::nonNull)
            .reduce(Long::sum),
        progress.stream().map(p -> p.sink().numOutputRows()).filter(n -> n >= 0).reduce(Long::sum));
  }

  private Instant watermarkAfter(StreamingQueryProgress progress) {
    return Instant.ofEpochMilli(commits.get(progress.batchId()).get().nextBatchWatermarkMs());
  }

  private static long sum(
      List<StateOperatorProgress> operators, ToLongFunction<StateOperatorProgress> metric) {
    return operators.stream().mapToLong(metric).sum();
  }
}
