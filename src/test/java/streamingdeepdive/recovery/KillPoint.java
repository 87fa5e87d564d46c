package streamingdeepdive.recovery;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/**
 * Where a process stands still, to be killed.
 *
 * @param nth at the first such event, the second, and so on
 * @param event a regular expression, found in the event
 */
record KillPoint(int nth, String event) {
  static final KillPoint NEVER = new KillPoint(Integer.MAX_VALUE, "");

  /** What all events have to pass. */
  @FunctionalInterface
  interface Gate {
    void pass(String event);
  }

  /** Says {@code waiting} at the kill point; from then on no thread passes. */
  Gate gate() {
    Pattern pattern = Pattern.compile(event);
    AtomicInteger count = new AtomicInteger();
    return passing -> {
      boolean counts = pattern.matcher(passing).find();
      int now = counts ? count.incrementAndGet() : count.get();
      if (now == nth && counts) {
        System.out.println("waiting before " + passing);
      }
      if (now >= nth) {
        standStill();
      }
    };
  }

  /** Until the process is killed, or the one that was to kill it is gone. */
  private static void standStill() {
    try {
      System.in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      Runtime.getRuntime().halt(1);
    }
  }
}
