package streamingdeepdive.app;

import java.util.Map;
import java.util.Set;
import org.apache.spark.SparkContext;

/** The options with which a user names input of their own; without them sample data is replayed. */
interface InputOptions {
  /** The options' names, for a sentence to the user. */
  String names();

  /** What the user named; null if nothing. */
  String place();

  /** Looks at the command line, and at what can be reached without Spark. */
  default void requireUsable() {}

  /** Looks at the place the user named. */
  default void requireReadable(SparkContext context) {}

  /** Whether the main writes to a place that goes with a checkpoint. */
  default boolean hasOutput() {
    return false;
  }

  /** The option that names it. */
  default String outputName() {
    return "--output";
  }

  /** The place that the user named for what the main writes; null if none. */
  default String output() {
    return null;
  }

  /** Settings of the session that the main cannot do without. */
  default Map<String, String> settings() {
    return Map.of();
  }

  /** Options of every main that make no sense with these. */
  default Set<String> excluded() {
    return Set.of();
  }
}
