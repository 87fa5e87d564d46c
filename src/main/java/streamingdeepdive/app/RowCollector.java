package streamingdeepdive.app;

import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * Keeps the rows of each micro-batch in the driver's memory: {@code foreachBatch(rows::collect)}.
 * Unlike the memory sink it goes on after a restart in every output mode. A micro-batch that is
 * replayed replaces its own earlier rows.
 */
public final class RowCollector {
  private final SortedMap<Long, List<Row>> batches = new ConcurrentSkipListMap<>();

  /** Creates a collector that has seen nothing. */
  public RowCollector() {}

  /**
   * Takes one micro-batch.
   *
   * @param batch its rows; all of them are collected, as a stateful query needs it
   * @param batchId its number
   */
  public void collect(Dataset<Row> batch, Long batchId) {
    batches.put(batchId, batch.collectAsList());
  }

  /**
   * {@return the rows of each micro-batch since the last call, of the empty ones too}
   *
   * @param lastBatchId the last micro-batch to hand over
   */
  public List<List<Row>> take(long lastBatchId) {
    SortedMap<Long, List<Row>> taken = batches.headMap(lastBatchId + 1);
    List<List<Row>> rows = List.copyOf(taken.values());
    taken.clear();
    return rows;
  }
}
