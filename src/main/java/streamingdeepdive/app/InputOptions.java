package streamingdeepdive.app;

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
}
