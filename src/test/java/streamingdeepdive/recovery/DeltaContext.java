package streamingdeepdive.recovery;

import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import scala.Option;
import streamingdeepdive.lesson.DeltaSink;

/** Has the kit open a Spark context with Delta's settings for one class of tests. */
public final class DeltaContext implements BeforeAllCallback, AfterAllCallback {
  @Override
  public void beforeAll(ExtensionContext context) {
    DeltaSink.SETTINGS.forEach(System::setProperty);
    stop();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    DeltaSink.SETTINGS.keySet().forEach(System::clearProperty);
    stop();
  }

  /** The next test opens a new one. */
  private static void stop() {
    Option<SparkSession> running = SparkSession.getDefaultSession();
    if (running.isDefined()) {
      running.get().stop();
    }
  }
}
