package streamingdeepdive.testkit;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/** The message of a script that failed. */
final class FailureReport {
  private FailureReport() {}

  static String of(
      List<Step> script, Step failed, List<String> problems, Optional<StreamingQuery> query) {
    StringBuilder text = new StringBuilder("A step is not as stated\n\n");
    for (Step step : script) {
      text.append(step == failed ? " => " : "    ").append(step).append('\n');
    }
    text.append('\n').append(String.join("\n", problems)).append('\n');
    query.ifPresent(
        q ->
            text.append("\nstatus of the query ")
                .append(q.status().json())
                .append("\nlast progress of the query ")
                .append(progress(q)));
    return text.toString();
  }

  /**
   * An assertion speaks for itself; of other failures the root cause says most, and if it has no
   * message, what it led to.
   */
  static String describe(Throwable failure) {
    Throwable led = failure;
    Throwable cause = failure;
    while (cause.getCause() != null && !(cause instanceof AssertionError)) {
      led = cause;
      cause = cause.getCause();
    }
    String text = "the step failed: " + cause;
    if (cause instanceof AssertionError) {
      return text;
    }
    if (cause.getMessage() == null && led != cause) {
      text += "\n    which led to: " + led.toString().lines().findFirst().orElse("");
    }
    return text + place(cause).map(frame -> "\n    at " + frame).orElse("");
  }

  /** Where the user's own code failed. */
  private static Optional<StackTraceElement> place(Throwable cause) {
    return Arrays.stream(cause.getStackTrace())
        .filter(
            frame ->
                !frame
                    .getClassName()
                    .matches(
                        "((org\\.apache|scala|java|javax|jdk|sun)\\..*|streamingdeepdive\\.testkit\\.\\w+(?<!IT|Test)([$].*)?)"))
        .findFirst();
  }

  private static String progress(StreamingQuery query) {
    return Optional.ofNullable(query.lastProgress())
        .map(StreamingQueryProgress::prettyJson)
        .orElse("none");
  }
}
