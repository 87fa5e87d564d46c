package streamingdeepdive;

import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import streamingdeepdive.lesson.DeltaSink;

/** The mains that are not in {@link MainsTest}, in this JVM. */
class MainsIT {
  static Stream<Class<?>> otherMains() {
    return Mains.all().filter(main -> !MainsTest.MAINS.contains(main));
  }

  @AfterEach
  void clearSettingsOfDelta() {
    DeltaSink.SETTINGS.keySet().forEach(System::clearProperty);
  }

  @ParameterizedTest
  @MethodSource("otherMains")
  void printsWhatItsDocumentationSays(Class<?> main) throws Exception {
    if (main == DeltaSink.class) {
      DeltaSink.SETTINGS.forEach(System::setProperty);
    }
    Mains.assertPrintsWhatItsDocumentationSays(main);
  }
}
