package streamingdeepdive.app;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class QuietLoggingTest {
  private static final String PROPERTY = "log4j2.configurationFile";

  @AfterEach
  void clear() {
    System.clearProperty(PROPERTY);
  }

  @Test
  void leavesNoPropertyBehind() {
    QuietLogging.start();

    assertThat(System.getProperty(PROPERTY)).isNull();
  }

  @Test
  void leavesTheUsersConfigurationAlone() {
    System.setProperty(PROPERTY, "file:mine.properties");

    QuietLogging.start();

    assertThat(System.getProperty(PROPERTY)).isEqualTo("file:mine.properties");
  }

  @Test
  void itsConfigurationHasANameThatLog4jDoesNotLookFor() {
    ClassLoader classes = getClass().getClassLoader();

    assertThat(classes.getResource("streamingdeepdive/app/log4j2-main.properties")).isNotNull();
    assertThat(classes.getResource("log4j2.properties")).isNull();
    assertThat(classes.getResource("log4j2.xml")).isNull();
  }
}
