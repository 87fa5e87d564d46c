package streamingdeepdive.app;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.util.ShutdownHookManager;
import org.apache.spark.sql.streaming.StreamingQuery;

/**
 * Turns Ctrl-C and SIGTERM into an orderly end of the run: the running micro-batch finishes, the
 * query stops, and the process waits until the main has closed its session.
 */
final class StopSignal implements AutoCloseable {
  /** Above Spark's own hook, which would stop the Spark context under the running micro-batch. */
  private static final int PRIORITY = 100;

  private static final long LIMIT_MINUTES = 10;

  private final Runnable hook = this::stopRun;
  private final CountDownLatch closed = new CountDownLatch(1);
  private boolean received;
  private StreamingQuery query;
  private BatchGate gate;

  StopSignal() {
    ShutdownHookManager.get().addShutdownHook(hook, PRIORITY, LIMIT_MINUTES, TimeUnit.MINUTES);
  }

  /** Names the query that a signal stops; if one has come already, stops it now. */
  synchronized void stops(StreamingQuery query, BatchGate gate) {
    this.query = query;
    this.gate = gate;
    if (received) {
      stopQuery();
    }
  }

  /** Says that the query has ended; returns when a signal that is stopping it has done so. */
  synchronized void queryEnded() {
    query = null;
  }

  synchronized boolean isReceived() {
    return received;
  }

  private void stopRun() {
    synchronized (this) {
      received = true;
      if (query != null) {
        stopQuery();
      }
    }
    try {
      closed.await();
    } catch (InterruptedException e) {
      // The time limit of the hook: the process ends now.
      Thread.currentThread().interrupt();
    }
  }

  private void stopQuery() {
    try {
      gate.close(query);
      query.stop();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    closed.countDown();
    if (!ShutdownHookManager.get().isShutdownInProgress()) {
      ShutdownHookManager.get().removeShutdownHook(hook);
    }
  }
}
