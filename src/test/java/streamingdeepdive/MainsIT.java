package streamingdeepdive;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import streamingdeepdive.lesson.JdbcSink;

/** A main that {@link OtherMachinesIT} runs with the digits that Delta needs. */
class MainsIT {
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
