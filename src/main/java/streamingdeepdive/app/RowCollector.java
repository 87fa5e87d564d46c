package streamingdeepdive.app;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
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
   * {@return the rows of each micro-batch since the last call by its number, of the empty ones too}
   *
   * @param lastBatchId the last micro-batch to hand over
   */
  public SortedMap<Long, List<Row>> take(long lastBatchId) {
    SortedMap<Long, List<Row>> taken = batches.headMap(lastBatchId + 1);
    SortedMap<Long, List<Row>> rows = new TreeMap<>(taken);
    taken.clear();
    return rows;
  }
}
