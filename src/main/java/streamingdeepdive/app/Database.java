package streamingdeepdive.app;

import java.util.Map;

/**
 * The database that a main writes to: the user's, or one that goes with the run.
 *
 * @param options of Spark's JDBC source; a password may be among them
 * @param table the table's name
 */
public record Database(Map<String, String> options, String table) {
  /** Leaves the values of the options out: passwords are among them. */
  @Override
  public String toString() {
    return table + " at " + options.get("url") + " with " + options.keySet();
  }
}
