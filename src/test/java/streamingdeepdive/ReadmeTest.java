package streamingdeepdive;

import static java.nio.file.Files.readString;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The README and the Javadoc show output that was printed and code that was compiled and run. */
class ReadmeTest {
  private static final Path TESTS = Path.of("src/test/java/streamingdeepdive");

  @Test
  void itsOutputIsPrintedByAMain() throws IOException {
    List<String> outputs = new ArrayList<>();
    for (Class<?> main : Mains.all()) {
      outputs.add(MainOutput.whole(main));
    }

    assertThat(blocks("text"))
        .isNotEmpty()
        .allSatisfy(block -> assertThat(outputs).anyMatch(output -> output.contains(block)));
  }

  @Test
  void theOutputInTheJavadocOfAMainIsPrintedByIt() throws IOException {
    for (Class<?> main : Mains.all()) {
      String whole = MainOutput.whole(main);
      assertThat(MainOutput.inJavadoc(main))
          .as(main.getName())
          .isNotEmpty()
          .allSatisfy(block -> assertThat(whole).contains(block));
    }
  }

  @Test
  void itsCodeIsRunByATest() throws IOException {
    String examples =
        squeeze(
            readString(TESTS.resolve("ReadmeExamplesTest.java"))
                + readString(TESTS.resolve("ClicksTest.java"))
                    .replace("/** The example of the README, as it stands there. */", ""));

    assertThat(blocks("java"))
        .isNotEmpty()
        .allSatisfy(block -> assertThat(examples).contains(squeeze(block)));
  }

  @Test
  void itHasTheCommandOfEveryLessonAndTrap() throws IOException {
    String readme = readString(Path.of("README.md"));

    assertThat(Mains.all())
        .allSatisfy(
            main ->
                assertThat(readme)
                    .contains("[`" + main.getSimpleName() + "`](src/main/java/")
                    .contains(
                        "`mvn -q compile exec:java -Dexec.mainClass=" + main.getName() + "`"));
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
}
