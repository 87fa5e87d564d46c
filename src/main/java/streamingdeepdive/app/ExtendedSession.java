package streamingdeepdive.app;

import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import scala.Function1;
import scala.Option;
import scala.runtime.BoxedUnit;

/** A session with settings that {@code newSession} cannot change: extensions and catalogs. */
public final class ExtendedSession {
  private static final String EXTENSIONS = "spark.sql.extensions";

  private ExtendedSession() {}

  /**
   * Opens a session on the Spark context that is running; the default session and the active one
   * stay what they are.
   *
   * @param settings Spark's settings, with {@code spark.sql.extensions}
   * @return the session, which ends with the context
   * @throws ReflectiveOperationException if an extension is not on the class path
   */
  public static synchronized SparkSession open(Map<String, String> settings)
      throws ReflectiveOperationException {
    Option<SparkSession> byDefault = SparkSession.getDefaultSession();
    Option<SparkSession> active = SparkSession.getActiveSession();
    SparkSession.clearDefaultSession();
    SparkSession.clearActiveSession();
    try {
      SparkSession.Builder builder = SparkSession.builder();
      settings.forEach(builder::config);
      for (String extension : settings.get(EXTENSIONS).split(",")) {
        builder.withExtensions(newExtension(extension));
      }
      return builder.getOrCreate();
    } finally {
      SparkSession.clearDefaultSession();
      SparkSession.clearActiveSession();
      if (byDefault.isDefined()) {
        SparkSession.setDefaultSession(byDefault.get());
      }
      if (active.isDefined()) {
        SparkSession.setActiveSession(active.get());
      }
    }
  }

  @SuppressWarnings("unchecked")
  private static Function1<SparkSessionExtensions, BoxedUnit> newExtension(String className)
      throws ReflectiveOperationException {
    return (Function1<SparkSessionExtensions, BoxedUnit>)
        Class.forName(className).getConstructor().newInstance();
  }
}
