package streamingdeepdive.testkit;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/** Gives a limit to waits that have none of their own. */
final class TimeLimit {
  private static final int POLL_MILLIS = 10;

  private TimeLimit() {}

  /**
   * Runs a task in another thread and passes on what it returns or throws. If it is not done in
   * time, its thread is interrupted and left behind.
   *
   * @param waitingFor says in the failure what was waited for
   */
  static <T> T within(Duration limit, String waitingFor, Callable<T> task) throws Throwable {
    return within(limit, waitingFor, () -> false, task);
  }

  /** Waits no longer once something else has come true; then there is nothing to return. */
  static <T> T within(Duration limit, String waitingFor, BooleanSupplier orUntil, Callable<T> task)
      throws Throwable {
    FutureTask<T> future = new FutureTask<>(task);
    Thread thread = new Thread(future, "streaming-test");
    thread.setDaemon(true);
    thread.start();
    long end = System.nanoTime() + limit.toNanos();
    try {
      while (!orUntil.getAsBoolean()) {
        try {
          return future.get(POLL_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
          if (System.nanoTime() > end) {
            throw new AssertionError(
                "Still waiting after " + limit.toSeconds() + " s for " + waitingFor, e);
          }
        }
      }
      return null;
    } catch (ExecutionException e) {
      throw e.getCause();
    } finally {
      future.cancel(true);
    }
  }
}
