package streamingdeepdive.testkit;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Gives a limit to waits that have none of their own. */
final class TimeLimit {
  private TimeLimit() {}

  /**
   * Runs a task in another thread and passes on what it returns or throws. If it is not done in
   * time, its thread is interrupted and left behind.
   *
   * @param waitingFor says in the failure what was waited for
   */
  static <T> T within(Duration limit, String waitingFor, Callable<T> task) throws Throwable {
    FutureTask<T> future = new FutureTask<>(task);
    Thread thread = new Thread(future, "streaming-test");
    thread.setDaemon(true);
    thread.start();
    try {
      return future.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause();
    } catch (TimeoutException e) {
      throw new AssertionError(
          "Still waiting after " + limit.toSeconds() + " s for " + waitingFor, e);
    } finally {
      future.cancel(true);
    }
  }
}
