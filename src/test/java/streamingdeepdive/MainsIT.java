package streamingdeepdive;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import streamingdeepdive.lesson.BadRecords;
import streamingdeepdive.lesson.DeltaSink;
import streamingdeepdive.lesson.JdbcSink;
import streamingdeepdive.lesson.Triggers;

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

  /** Persian has digits of its own, Turkish an i without a dot. */
  @ParameterizedTest
  @ValueSource(strings = {"fa-IR", "tr-TR"})
  void inALocaleWithOtherDigitsOrLetters(String locale) throws Exception {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag(locale));
    try {
      for (Class<?> main : List.of(Triggers.class, BadRecords.class, JdbcSink.class)) {
        Mains.assertPrintsWhatItsDocumentationSays(main);
      }
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void jdbcSink() throws Exception {
    Mains.assertPrintsWhatItsDocumentationSays(JdbcSink.class);
  }
}
