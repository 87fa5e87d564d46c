package streamingdeepdive.testkit;

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

  /** An assertion speaks for itself; of other failures the root cause says most. */
  static String describe(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null && !(cause instanceof AssertionError)) {
      cause = cause.getCause();
    }
    return "the step failed: " + cause;
  }

  private static String progress(StreamingQuery query) {
    return Optional.ofNullable(query.lastProgress())
        .map(StreamingQueryProgress::prettyJson)
        .orElse("none");
  }
}
