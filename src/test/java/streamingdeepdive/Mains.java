package streamingdeepdive;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Comparator;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import scala.Option;
import scala.collection.JavaConverters;
import streamingdeepdive.app.CapturedOutput;
import streamingdeepdive.testkit.TestSession;

/** The mains of all lessons and traps, each run in this JVM beside the session that it has. */
final class Mains {
  private Mains() {}

  /** In the order of their names. */
  static Stream<Class<?>> all() {
    return new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("streamingdeepdive.lesson", "streamingdeepdive.trap")
            .stream()
            .filter(type -> type.tryGetMethod("main", String[].class).isPresent())
            .sorted(Comparator.comparing(JavaClass::getSimpleName))
            .map(JavaClass::reflect);
  }

  /** And leaves the JVM as it was. */
  static void assertPrintsWhatItsDocumentationSays(Class<?> main) throws Exception {
    TestSession.open().close();
    State before = State.now();
    CapturedOutput output = run(main);

    assertThat(output.err()).isEmpty();
    assertThat(output.out()).isEqualToNormalizingNewlines(MainOutput.whole(main));
    assertThat(MainOutput.inJavadoc(main))
        .isNotEmpty()
        .allSatisfy(block -> assertThat(output.out()).contains(block));
    assertThat(State.now()).isEqualTo(before);
  }

  /** What a main could change for the code that runs after it. */
  private record State(
      Map<String, String> settings,
      int queries,
      Option<SparkSession> active,
      Properties properties) {

    static State now() {
      SparkSession session = SparkSession.getDefaultSession().get();
      return new State(
          JavaConverters.mapAsJavaMap(session.conf().getAll()),
          session.streams().active().length,
          SparkSession.getActiveSession(),
          (Properties) System.getProperties().clone());
    }
  }

  static CapturedOutput run(Class<?> main) {
    return CapturedOutput.of(
        () -> {
          try {
            main.getMethod("main", String[].class).invoke(null, (Object) new String[0]);
          } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
          }
        });
  }
}
