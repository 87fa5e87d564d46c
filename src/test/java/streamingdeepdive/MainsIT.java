package streamingdeepdive;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import streamingdeepdive.lesson.JdbcSink;

/** {@link OtherMachinesIT} runs this main beside Delta's, and so without digits of its own. */
class MainsIT {
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
