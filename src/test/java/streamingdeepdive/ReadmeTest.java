package streamingdeepdive;

import static java.nio.file.Files.readString;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The README shows output that was printed and code that was compiled and run. */
class ReadmeTest {
  @Test
  void itsOutputIsPrintedByAMain() throws IOException {
    List<String> outputs = Mains.all().map(ReadmeTest::output).toList();

    assertThat(blocks("text"))
        .isNotEmpty()
        .allSatisfy(block -> assertThat(outputs).anyMatch(output -> output.contains(block)));
  }

  @Test
  void itsCodeIsRunByATest() throws IOException {
    String examples =
        squeeze(readString(Path.of("src/test/java/streamingdeepdive/ReadmeExamplesTest.java")));

    assertThat(blocks("java"))
        .isNotEmpty()
        .allSatisfy(block -> assertThat(examples).contains(squeeze(block)));
  }

  @Test
  void itListsEveryLessonAndTrap() throws IOException {
    String readme = readString(Path.of("README.md"));

    assertThat(Mains.all())
        .allSatisfy(main -> assertThat(readme).contains("`" + main.getSimpleName() + "`"));
  }

  private static List<String> blocks(String language) throws IOException {
    return Pattern.compile("^```" + language + "\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE)
        .matcher(readString(Path.of("README.md")))
        .results()
        .map(block -> block.group(1))
        .toList();
  }

  /** Line breaks and indents are the formatter's. */
  private static String squeeze(String code) {
    return code.replaceAll("\\s+", "");
  }

  private static String output(Class<?> main) {
    try {
      return MainOutput.whole(main);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
