package streamingdeepdive.app;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import scala.Console;

/**
 * What a main in this JVM printed.
 *
 * @param out its stdout
 * @param err its stderr
 */
public record CapturedOutput(String out, String err) {
  /** Runs code and keeps what it prints to itself. */
  public static CapturedOutput of(Runnable code) {
    PrintStream stdout = System.out;
    PrintStream stderr = System.err;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    PrintStream captured = new PrintStream(out, true, StandardCharsets.UTF_8);
    System.setOut(captured);
    System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
    try {
      // Spark's console sink prints through Scala, which keeps the stdout of its first use.
      Console.withOut(
          captured,
          () -> {
            code.run();
            return null;
          });
    } finally {
      System.setOut(stdout);
      System.setErr(stderr);
    }
    return new CapturedOutput(
        out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }
}
