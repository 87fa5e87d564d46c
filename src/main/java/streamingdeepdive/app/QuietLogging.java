package streamingdeepdive.app;

import org.slf4j.LoggerFactory;

/** Keeps Spark's INFO lines out of a main's output, unless the user configures log4j2. */
final class QuietLogging {
  private static final String PROPERTY = "log4j2.configurationFile";

  private QuietLogging() {}

  /** Log4j2 reads its configuration with the first logger, so this comes before Spark's. */
  static void start() {
    if (System.getProperty(PROPERTY) != null
        || System.getProperty("log4j.configurationFile") != null
        || System.getenv("LOG4J_CONFIGURATION_FILE") != null) {
      return;
    }
    System.setProperty(PROPERTY, "classpath:streamingdeepdive/app/log4j2-main.properties");
    try {
      LoggerFactory.getLogger(QuietLogging.class);
    } finally {
      System.clearProperty(PROPERTY);
    }
  }
}
