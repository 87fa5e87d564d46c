package streamingdeepdive.app;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.util.ShutdownHookManager;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.config.Configurator;

/**
 * Turns Ctrl-C and SIGTERM into an orderly end of the run: the running micro-batches finish, the
 * queries stop, and the process waits until the main has closed its session.
 */
final class StopSignal implements AutoCloseable {
  /** Above Spark's own hook, which would stop the Spark context under a running micro-batch. */
  private static final int PRIORITY = 100;

  private static final long LIMIT_MINUTES = 10;

  /** Something that a signal stops. */
  @FunctionalInterface
  interface Stoppable {
    void stop() throws InterruptedException, TimeoutException;
  }

  private final Runnable hook = this::stopRun;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final List<Stoppable> running = new ArrayList<>();
  private boolean received;

  StopSignal() {
    ShutdownHookManager.get().addShutdownHook(hook, PRIORITY, LIMIT_MINUTES, TimeUnit.MINUTES);
  }

  /** Names a query that a signal stops; if one has come already, stops it now. */
  synchronized void stops(Stoppable query) {
    running.add(query);
    if (received) {
      stopQueries();
    }
  }

  /** Says that all queries have ended; returns when a signal that is stopping them is done. */
  synchronized void queriesEnded() {
    running.clear();
  }

  synchronized boolean isReceived() {
    return received;
  }

  private void stopRun() {
    if (!AppSession.isSubmitted()) {
      // What a stop interrupts is done again at the next start; its errors are none.
      Configurator.setAllLevels(LogManager.ROOT_LOGGER_NAME, Level.OFF);
    }
    synchronized (this) {
      received = true;
      stopQueries();
    }
    try {
      closed.await();
    } catch (InterruptedException e) {
      // The time limit of the hook: the process ends now.
      Thread.currentThread().interrupt();
    }
  }

  private void stopQueries() {
    try {
      for (Stoppable query : running) {
        query.stop();
      }
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
