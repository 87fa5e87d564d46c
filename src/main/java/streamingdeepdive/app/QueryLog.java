package streamingdeepdive.app;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.spark.sql.execution.streaming.CommitLog;
import org.apache.spark.sql.execution.streaming.StreamingQueryWrapper;
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
   * What consecutive micro-batches did together.
   *
   * @param progress their progress, in their order
   * @param watermark the watermark after the last one; empty if the query has none, the epoch while
   *     no event time has been seen
   */
  public record Entry(List<StreamingQueryProgress> progress, Optional<Instant> watermark) {

    /** {@return the last micro-batch} */
    public StreamingQueryProgress last() {
      return progress.get(progress.size() - 1);
    }

    /** {@return how many rows a deduplication dropped; empty if the query has none} */
    public Optional<Long> duplicatesDropped() {
      return progress.stream()
          .flatMap(p -> Arrays.stream(p.stateOperators()))
          .map(operator -> operator.customMetrics().get("numDroppedDuplicateRows"))
          .filter(Objects::nonNull)
          .reduce(Long::sum);
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
    return new Entry(
        progress,
        Optional.ofNullable(last.eventTime().get("watermark")).map(used -> watermarkAfter(last)));
  }

  private Instant watermarkAfter(StreamingQueryProgress progress) {
    return Instant.ofEpochMilli(commits.get(progress.batchId()).get().nextBatchWatermarkMs());
  }
}
