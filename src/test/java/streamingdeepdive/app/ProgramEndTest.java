package streamingdeepdive.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ProgramEndTest {
  private static final String PROPERTY = "log4j2.configurationFile";

  @AfterEach
  void clear() {
    System.clearProperty(PROPERTY);
  }

  @Test
  void leavesNoPropertyBehind() {
    ProgramEnd.quieten();

    assertThat(System.getProperty(PROPERTY)).isNull();
  }

  @Test
  void leavesTheUsersConfigurationAlone() {
    System.setProperty(PROPERTY, "file:mine.properties");

    ProgramEnd.quieten();

    assertThat(System.getProperty(PROPERTY)).isEqualTo("file:mine.properties");
  }

  @Test
  void itsConfigurationHasANameThatLog4jDoesNotLookFor() {
    ClassLoader classes = getClass().getClassLoader();

    assertThat(classes.getResource("streamingdeepdive/app/log4j2-main.properties")).isNotNull();
    assertThat(classes.getResource("log4j2.properties")).isNull();
    assertThat(classes.getResource("log4j2.xml")).isNull();
  }

  @Test
  void aFailureIsTheFirstLineOfItsRoot() {
    assertThat(
            ProgramEnd.sentence(
                new IllegalStateException("around", new IOException("the disk is full\nplan"))))
        .isEqualTo("the disk is full");
    assertThat(ProgramEnd.sentence(new NullPointerException()))
        .isEqualTo("java.lang.NullPointerException");
  }

  @Test
  void anAddressThatIsWrongIsNamedWithWhatToDo() {
    assertThat(ProgramEnd.sentence(new UnknownHostException("nohost.invalid")))
        .isEqualTo("The host nohost.invalid is unknown; check the address.");
    assertThat(ProgramEnd.sentence(new ConnectException("Connection refused")))
        .isEqualTo("Connection refused; start the server first, or check its host and port.");
  }

  @Test
  void aLibraryThatIsMissingIsNamedByItsClass() {
    Throwable missing = new NoClassDefFoundError("io/delta/tables/DeltaTable");
    missing.initCause(new ClassNotFoundException("io.delta.tables.DeltaTable"));

    assertThat(ProgramEnd.sentence(missing))
        .isEqualTo(
            "The class io.delta.tables.DeltaTable is missing; add the library that has it to the"
                + " class path.");
  }
}
