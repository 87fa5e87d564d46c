package streamingdeepdive.app;

import java.util.function.Consumer;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/**
 * Lets a query be stopped between two micro-batches; {@code StreamingQuery.stop()} alone interrupts
 * the one that is running.
 */
@SuppressWarnings("serial") // a listener stays in the driver
final class BatchGate extends StreamingQueryListener {
  private static final long STATUS_POLL_MILLIS = 20;

  private Consumer<StreamingQueryProgress> onCommit = progress -> {};
  private boolean closed;
  private boolean held;
  private long entered = -1;
  private long committed = -1;

  /**
   * @param onCommit told of each micro-batch once it is committed, before the gate counts it as
   *     done
   */
  synchronized void onCommit(Consumer<StreamingQueryProgress> onCommit) {
    this.onCommit = onCommit;
  }

  /** Each micro-batch passes here before its rows are touched; once closed, none passes. */
  synchronized void enter(long batchId) throws InterruptedException {
    while (closed) {
      held = true;
      notifyAll();
      wait();
    }
    entered = batchId;
  }

  /**
   * Returns when no micro-batch is running: the last one is done, and the next one is held at the
   * gate or not planned.
   */
  synchronized void close(StreamingQuery query) throws InterruptedException {
    closed = true;
    while (committed < entered || !held && query.status().isTriggerActive()) {
      wait(STATUS_POLL_MILLIS);
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
