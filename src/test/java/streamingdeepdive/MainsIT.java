package streamingdeepdive;

import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import streamingdeepdive.lesson.DeltaSink;
import streamingdeepdive.lesson.JdbcSink;

/** The mains that {@link OtherMachinesIT} cannot run. */
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

  /** In a locale with digits of its own. */
  @Test
  void jdbcSink() throws Exception {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("fa-IR"));
    try {
      Mains.assertPrintsWhatItsDocumentationSays(JdbcSink.class);
    } finally {
      Locale.setDefault(before);
    }
  }
}
