package streamingdeepdive.app;

import java.util.function.Consumer;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/**
 * Lets a query be stopped between two micro-batches; {@code StreamingQuery.stop()} alone interrupts
 * the one that is running.
 */
@SuppressWarnings("serial") // a listener stays in the driver
final class BatchGate extends StreamingQueryListener {
  private final Consumer<StreamingQueryProgress> onCommit;
  private boolean closed;
  private long entered = -1;
  private long committed = -1;

  /**
   * @param onCommit told of each micro-batch once it is committed, before the gate counts it as
   *     done
   */
  BatchGate(Consumer<StreamingQueryProgress> onCommit) {
    this.onCommit = onCommit;
  }

  /** Each micro-batch passes here before its rows are touched; once closed, none passes. */
  synchronized void enter(long batchId) throws InterruptedException {
    while (closed) {
      wait();
    }
    entered = batchId;
  }

  /** Returns when no micro-batch is running and none can start any more. */
  synchronized void close() throws InterruptedException {
    closed = true;
    while (committed < entered) {
      wait();
    }
  }

  @Override
  public void onQueryStarted(QueryStartedEvent event) {}

  @Override
  public void onQueryProgress(QueryProgressEvent event) {
    try {
      onCommit.accept(event.progress());
    } finally {
      done(event.progress().batchId());
    }
  }

  @Override
  public void onQueryTerminated(QueryTerminatedEvent event) {
    done(Long.MAX_VALUE);
  }

  private synchronized void done(long batchId) {
    committed = Math.max(committed, batchId);
    notifyAll();
  }
}
