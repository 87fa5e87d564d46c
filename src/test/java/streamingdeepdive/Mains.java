package streamingdeepdive;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.SparkContext$;
import streamingdeepdive.app.CapturedOutput;
import streamingdeepdive.testkit.TestSession;

/** The mains of all lessons and traps, each run in this JVM as a whole program. */
final class Mains {
  private Mains() {}

  private static final List<Class<?>> MAINS = find();

  /** In the order of their names. */
  static Stream<Class<?>> all() {
    return MAINS.stream();
  }

  private static List<Class<?>> find() {
    List<Class<?>> mains = new ArrayList<>();
    new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("streamingdeepdive.lesson", "streamingdeepdive.trap")
            .stream()
            .filter(type -> type.tryGetMethod("main", String[].class).isPresent())
            .sorted(Comparator.comparing(JavaClass::getSimpleName))
            .map(JavaClass::reflect)
            .forEach(mains::add);
    return mains;
  }

  /** And leaves nothing behind in the JVM. */
  static void assertPrintsWhatItsDocumentationSays(Class<?> main) throws Exception {
    // Whatever Spark does once in a JVM has been done then, and the context is the main's own.
    TestSession.open().spark().stop();
    // ZooKeeper's classes, which Kafka's broker loads, set it.
    System.setProperty("jdk.tls.rejectClientInitiatedRenegotiation", "true");
    Object properties = System.getProperties().clone();
    CapturedOutput output = run(main);

    assertThat(output.err()).isEmpty();
    assertThat(output.out()).isEqualToNormalizingNewlines(MainOutput.whole(main));
    assertThat(MainOutput.inJavadoc(main))
        .isNotEmpty()
        .allSatisfy(block -> assertThat(output.out()).contains(block));
    assertThat(System.getProperties()).isEqualTo(properties);
    assertThat(SparkContext$.MODULE$.getActive().isEmpty()).isTrue();
  }

  private static CapturedOutput run(Class<?> main) {
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
