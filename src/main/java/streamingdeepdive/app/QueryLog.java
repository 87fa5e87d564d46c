package streamingdeepdive.app;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
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
   * What consecutive micro-batches did together.
   *
   * @param progress their progress, in their order
   * @param watermark the watermark after the last one; empty if the query has none, the epoch while
   *     no event time has been seen
   */
  public record Entry(List<StreamingQueryProgress> progress, Optional<Instant> watermark) {

    /** {@return these micro-batches and then others} */
    public Entry and(Entry others) {
      return new Entry(
          Stream.concat(progress.stream(), others.progress.stream()).toList(), others.watermark);
    }

    /** {@return the last micro-batch} */
    public StreamingQueryProgress last() {
      return progress.get(progress.size() - 1);
    }

    /**
     * {@return a number of each stateful operator of the last micro-batch, the operator that rows
     * reach first before the others; of a query without state none}
     *
     * @param number such as {@code StateOperatorProgress::numRowsTotal}
     */
    public List<Long> state(ToLongFunction<StateOperatorProgress> number) {
      return state(last(), number);
    }

    /**
     * {@return the same of each stateful operator, added up over the micro-batches}
     *
     * @param number such as {@code StateOperatorProgress::numRowsUpdated}
     */
    public List<Long> stateSum(ToLongFunction<StateOperatorProgress> number) {
      return progress.stream()
          .map(p -> state(p, number))
          .reduce(
              (a, b) -> IntStream.range(0, b.size()).mapToObj(i -> a.get(i) + b.get(i)).toList())
          .get();
    }

    /** {@return how many rows a deduplication dropped; empty if the query has none} */
    public Optional<Long> duplicatesDropped() {
      return progress.stream()
          .flatMap(p -> Arrays.stream(p.stateOperators()))
          .map(operator -> operator.customMetrics().get("numDroppedDuplicateRows"))
          .filter(Objects::nonNull)
          .reduce(Long::sum);
    }

    /** {@return how many rows the sink has taken; empty if it does not say} */
    Optional<Long> rowsPutOut() {
      return progress.stream()
          .map(p -> p.sink().numOutputRows())
          .filter(n -> n >= 0)
          .reduce(Long::sum);
    }

    /** Spark names them from the sink to the source. */
    private static List<Long> state(
        StreamingQueryProgress progress, ToLongFunction<StateOperatorProgress> number) {
      StateOperatorProgress[] operators = progress.stateOperators();
      return IntStream.range(0, operators.length)
          .mapToObj(i -> number.applyAsLong(operators[operators.length - 1 - i]))
          .toList();
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
