package streamingdeepdive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import streamingdeepdive.app.CapturedOutput;
import streamingdeepdive.lesson.DeltaSink;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.testkit.TestSession;

/** The mains that are not in {@link MainsTest}, in this JVM. */
class MainsIT {
  static Stream<Class<?>> otherMains() {
    return Mains.all()
        .filter(main -> !MainsTest.MAINS.contains(main))
        .filter(main -> main != DeltaSink.class);
  }

  @ParameterizedTest
  @MethodSource("otherMains")
  void printsWhatItsDocumentationSays(Class<?> main) throws Exception {
    Mains.assertPrintsWhatItsDocumentationSays(main);
  }

  /** After all those, and beside no session: Delta's settings are for a session of its own. */
  @Test
  void deltaPrintsWhatItsDocumentationSays() throws Exception {
    TestSession.open().spark().stop();
    try {
      CapturedOutput output = Mains.run(DeltaSink.class);

      assertThat(output.err()).isEmpty();
      assertThat(output.out()).isEqualToNormalizingNewlines(MainOutput.whole(DeltaSink.class));
      assertThat(MainOutput.inJavadoc(DeltaSink.class))
          .isNotEmpty()
          .allSatisfy(block -> assertThat(output.out()).contains(block));
    } finally {
      DeltaSink.SETTINGS.keySet().forEach(System::clearProperty);
    }
    Mains.assertPrintsWhatItsDocumentationSays(WindowedAggregation.class);
  }
}
