package streamingdeepdive.app;

import java.util.UUID;
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
  private UUID queryId;
  private boolean named;
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

  /**
   * Names the query once it is started: a listener hears of all queries of its session.
   *
   * @param id null if it could not start
   */
  synchronized void belongsTo(UUID id) {
    queryId = id;
    named = true;
    notifyAll();
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
   * Returns when the running micro-batch is done. The next one is held at the gate or not planned;
   * of a query whose micro-batches do not pass here it may have begun.
   */
  synchronized void close(StreamingQuery query) throws InterruptedException {
    closed = true;
    long committedBefore = committed;
    while (query.isActive()
        && (committed < entered
            || !held && committed == committedBefore && query.status().isTriggerActive())) {
      wait(STATUS_POLL_MILLIS);
    }
  }

  @Override
  public void onQueryStarted(QueryStartedEvent event) {}

  @Override
  public void onQueryProgress(QueryProgressEvent event) {
    if (!isOfThisQuery(event.progress().id())) {
      return;
    }
    try {
      onCommit.accept(event.progress());
    } finally {
      done(event.progress().batchId());
    }
  }

  @Override
  public void onQueryTerminated(QueryTerminatedEvent event) {
    if (isOfThisQuery(event.id())) {
      done(Long.MAX_VALUE);
    }
  }

  /** The first event may come before the caller has been given the query. */
  private synchronized boolean isOfThisQuery(UUID id) {
    try {
      while (!named) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
    return id.equals(queryId);
  }

  private synchronized void done(long batchId) {
    committed = Math.max(committed, batchId);
    notifyAll();
  }
}
