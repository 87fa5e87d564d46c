package streamingdeepdive.app;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.streaming.CommitLog;
import org.apache.spark.sql.streaming.StateOperatorProgress;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/**
 * Tells what the micro-batches of a query did, from its progress and its commit log.
 *
 * <p>The progress alone does not do: it gives the watermark a micro-batch ran with, not the one it
 * led to, and it reports micro-batches of an idle query that never ran.
 */
public final class QueryLog {
  private final CommitLog commits;
  private long lastBatchId;

  /**
   * Reads on behind a micro-batch.
   *
   * @param spark the query's session
   * @param checkpoint the query's checkpoint location, on any Hadoop file system
   * @param lastBatchId the micro-batch before the first one to read; -1 reads from the beginning
   */
  public QueryLog(SparkSession spark, String checkpoint, long lastBatchId) {
    this.commits = new CommitLog(spark, checkpoint + "/commits");
    this.lastBatchId = lastBatchId;
  }

  /**
   * What some consecutive micro-batches did together. Without state all numbers of rows are 0.
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
   */
  public record Entry(
      List<Long> batchIds,
      Optional<Instant> watermark,
      boolean stateful,
      long stateRows,
      long stateRowsUpdated,
      long rowsDroppedAsLate,
      Optional<Long> duplicatesDropped) {

    /**
     * Returns the number of the last micro-batch.
     *
     * @return an element of {@code batchIds}
     */
    public long lastBatchId() {
      return batchIds.get(batchIds.size() - 1);
    }
  }

  /**
   * Reads the micro-batches that were committed since the last call; call it while the query is
   * idle or stopped.
   *
   * @param query the query, in the run that committed them
   * @return the micro-batches as one entry; empty if there was none
   */
  public Optional<Entry> take(StreamingQuery query) {
    List<Long> batchIds =
        Arrays.stream(commits.listBatchesOnDisk())
            .filter(id -> id > lastBatchId)
            .sorted()
            .boxed()
            .toList();
    if (batchIds.isEmpty()) {
      return Optional.empty();
    }
    lastBatchId = batchIds.get(batchIds.size() - 1);
    List<StreamingQueryProgress> progress =
        Arrays.stream(query.recentProgress()).filter(p -> batchIds.contains(p.batchId())).toList();
    Set<Long> reported =
        progress.stream().map(StreamingQueryProgress::batchId).collect(Collectors.toSet());
    if (!reported.containsAll(batchIds)) {
      throw new IllegalStateException(
          "The query keeps no progress of some of its micro-batches "
              + batchIds
              + "; raise spark.sql.streaming.numRecentProgressUpdates");
    }
    return Optional.of(entry(batchIds, progress));
  }

  /**
   * Reads one micro-batch as a query listener gets it.
   *
   * @param progress the progress of a micro-batch that ran
   * @return the micro-batch
   */
  public Entry entry(StreamingQueryProgress progress) {
    return entry(List.of(progress.batchId()), List.of(progress));
  }

  private Entry entry(List<Long> batchIds, List<StreamingQueryProgress> progress) {
    StreamingQueryProgress last = progress.get(progress.size() - 1);
    List<StateOperatorProgress> operators =
        progress.stream().flatMap(p -> Arrays.stream(p.stateOperators())).toList();
    return new Entry(
        batchIds,
        Optional.ofNullable(last.eventTime().get("watermark")).map(used -> watermarkAfter(last)),
        !operators.isEmpty(),
        Arrays.stream(last.stateOperators()).mapToLong(StateOperatorProgress::numRowsTotal).sum(),
        sum(operators, StateOperatorProgress::numRowsUpdated),
        sum(operators, StateOperatorProgress::numRowsDroppedByWatermark),
        operators.stream()
            .map(operator -> operator.customMetrics().get("numDroppedDuplicateRows"))
            .filter(Objects::nonNull)
            .reduce(Long::sum));
  }

  private Instant watermarkAfter(StreamingQueryProgress progress) {
    return Instant.ofEpochMilli(commits.get(progress.batchId()).get().nextBatchWatermarkMs());
  }

  private static long sum(
      List<StateOperatorProgress> operators, ToLongFunction<StateOperatorProgress> metric) {
    return operators.stream().mapToLong(metric).sum();
  }
}
