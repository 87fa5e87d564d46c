package streamingdeepdive.app;

import java.io.IOException;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.spark.sql.streaming.StreamingQueryException;

/** Says in one line why a run failed, and where a file system failed it, what to do. */
final class FailureSentence {
  private static final Pattern FILE =
      Pattern.compile("\\b[a-z][a-z0-9]+:/[^\\s,\\]]*[^\\s,\\].:')]");

  private FailureSentence() {}

  static String of(Throwable failure) {
    List<Throwable> causes = causes(failure);
    return firstLine(causes.get(causes.size() - 1));
  }

  static String of(Throwable failure, AppOptions options) {
    List<Throwable> causes = causes(failure);
    Throwable root = causes.get(causes.size() - 1);
    String message = firstLine(root);
    boolean wasRunning = causes.stream().anyMatch(StreamingQueryException.class::isInstance);
    if (!(root instanceof IOException) || !wasRunning || options.checkpoint == null) {
      return message;
    }
    return (FILE.matcher(message).find() ? message : message + ", " + place(causes, options))
        + ". Mend it and start again with the same directories: the run goes on where it stopped.";
  }

  private static List<Throwable> causes(Throwable failure) {
    return Stream.iterate(failure, e -> e != null, Throwable::getCause).toList();
  }

  /** What the innermost cause that names one was about to write. */
  private static String place(List<Throwable> causes, AppOptions options) {
    String output = options.input.output() == null ? "" : options.input.output() + " ";
    String place = "in the output " + output + "or the checkpoint " + options.checkpoint;
    for (Throwable cause : causes) {
      place =
          FILE.matcher(firstLine(cause))
              .results()
              .map(MatchResult::group)
              .reduce((a, b) -> b)
              .map(file -> "writing to " + file)
              .orElse(place);
    }
    return place;
  }

  private static String firstLine(Throwable failure) {
    return failure.getMessage() == null ? failure.toString() : firstLine(failure.getMessage());
  }

  /** Below it Spark adds the query's plan, with the passwords among the options of its source. */
  static String firstLine(String message) {
    return message.lines().findFirst().orElse(message);
  }
}
