package streamingdeepdive;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.SparkContext$;
import streamingdeepdive.app.CapturedOutput;
import streamingdeepdive.testkit.TestSession;

/** The mains of all lessons and traps, each run in this JVM as a whole program. */
final class Mains {
  private static final Path SOURCES = Path.of("src/main/java");

  private static boolean sparkHasRun;

  private Mains() {}

  /** In the order of their names. */
  static List<Class<?>> all() throws IOException {
    try (Stream<Path> files = Files.walk(SOURCES)) {
      return files
          .filter(file -> file.toString().endsWith(".java") && hasMain(file))
          .<Class<?>>map(Mains::load)
          .sorted(Comparator.comparing(Class::getSimpleName))
          .toList();
    }
  }

  private static boolean hasMain(Path source) {
    try {
      return Files.readString(source).contains("  public static void main(String[] args)");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static Class<?> load(Path source) {
    String name = SOURCES.relativize(source).toString().replaceAll("\\.java$", "");
    try {
      return Class.forName(name.replaceAll("[/\\\\]", "."));
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  static void assertPrintsWhatItsDocumentationSays(Class<?> main) throws IOException {
    assertThat(run(main)).isEqualToNormalizingNewlines(MainOutput.whole(main));
  }

  /** Returns what it prints; it leaves nothing behind in the JVM. */
  static String run(Class<?> main) {
    if (!sparkHasRun) {
      TestSession.open(); // whatever Spark does once in a JVM has been done then
      sparkHasRun = true;
    }
    if (SparkContext$.MODULE$.getActive().isDefined()) {
      SparkContext$.MODULE$.getActive().get().stop(); // the context is the main's own
    }
    // ZooKeeper's classes, which Kafka's broker loads, set it.
    System.setProperty("jdk.tls.rejectClientInitiatedRenegotiation", "true");
    Object properties = System.getProperties().clone();
    CapturedOutput output =
        CapturedOutput.of(
            () -> {
              try {
                main.getMethod("main", String[].class).invoke(null, (Object) new String[0]);
              } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
              }
            });

    assertThat(output.err()).isEmpty();
    assertThat(System.getProperties()).isEqualTo(properties);
    assertThat(SparkContext$.MODULE$.getActive().isEmpty()).isTrue();
    return output.out();
  }
}
