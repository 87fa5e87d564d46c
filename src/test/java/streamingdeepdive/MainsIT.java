package streamingdeepdive;

import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import streamingdeepdive.lesson.BadRecords;
import streamingdeepdive.lesson.DeltaSink;
import streamingdeepdive.lesson.JdbcSink;
import streamingdeepdive.lesson.Monitoring;

/** The mains that {@link ReducedClassPathIT} cannot run, and other locales. */
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
    assertPrintsTheSameIn("fa-IR", JdbcSink.class);
  }

  /** In a locale that has an i without a dot. */
  @Test
  void badRecords() throws Exception {
    assertPrintsTheSameIn("tr-TR", BadRecords.class);
  }

  @Test
  void monitoring() throws Exception {
    assertPrintsTheSameIn("ar-EG-u-nu-arab", Monitoring.class);
  }

  private static void assertPrintsTheSameIn(String locale, Class<?> main) throws Exception {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag(locale));
    try {
      Mains.assertPrintsWhatItsDocumentationSays(main);
    } finally {
      Locale.setDefault(before);
    }
  }
}
