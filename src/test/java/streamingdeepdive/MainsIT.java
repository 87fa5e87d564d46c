package streamingdeepdive;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import streamingdeepdive.lesson.DeltaSink;
import streamingdeepdive.lesson.JdbcSink;

/** The mains that {@link ReducedClassPathIT} cannot run. */
class MainsIT {
  @AfterEach
  void clearSettingsOfDelta() {
    DeltaSink.SETTINGS.keySet().forEach(System::clearProperty);
  }

  @Test
  void deltaSink() throws Exception {
    DeltaSink.SETTINGS.forEach(System::setProperty);
    Mains.assertPrintsWhatItsDocumentationSays(DeltaSink.class);
  }

  @Test
  void jdbcSink() throws Exception {
    Mains.assertPrintsWhatItsDocumentationSays(JdbcSink.class);
  }
}
