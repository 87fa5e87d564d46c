package streamingdeepdive.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class JavaRuntimeTest {
  @Test
  void opensWhatSparkNeeds() {
    JavaRuntime.prepare();
    JavaRuntime.prepare();

    Module base = Object.class.getModule();
    Module unnamed = getClass().getModule();
    assertThat(base.isExported("sun.nio.ch", unnamed)).isTrue();
    assertThat(base.isExported("sun.util.calendar", unnamed)).isTrue();
    assertThat(base.isExported("sun.security.action", unnamed)).isTrue();
    assertThat(base.isOpen("java.util", unnamed)).isTrue();
    assertThat(base.isOpen("java.util.concurrent", unnamed)).isTrue();
  }

  @Test
  void saysInOneSentenceThatSparkCannotRunOnThisJdk() {
    assertThatThrownBy(
            () ->
                JavaRuntime.requireSubjectLookup(
                    () -> {
                      throw new UnsupportedOperationException("getSubject is not supported");
                    }))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageMatching(
            "Spark 3\\.5 cannot run on JDK \\d+, which no longer has Subject\\.getSubject;"
                + " run this with JDK 17 or 21\\.")
        .as("a main prints the root cause")
        .hasNoCause();
  }

  @Test
  void saysTheSameWhereTheMethodIsGone() {
    assertThatThrownBy(
            () ->
                JavaRuntime.requireSubjectLookup(
                    () -> {
                      throw new NoSuchMethodError("getSubject");
                    }))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageStartingWith("Spark 3.5 cannot run on JDK");
  }
}
