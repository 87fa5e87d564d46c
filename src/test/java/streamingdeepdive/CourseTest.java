package streamingdeepdive;

import static java.nio.file.Files.readString;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The README, the pages of the packages and the links of the classes have one order. */
class CourseTest {
  private static final Path SOURCES = Path.of("src/main/java/streamingdeepdive");
  private static final Pattern ROW =
      Pattern.compile(
          "^\\| \\[`(\\w+)`]\\(src/main/java/streamingdeepdive/(lesson|trap)/\\1\\.java\\) \\|"
              + " (\\S.*\\?) \\| `mvn -q compile exec:java"
              + " -Dexec\\.mainClass=streamingdeepdive\\.\\2\\.\\1` \\|$",
          Pattern.MULTILINE);
  private static final Pattern ITEM =
      Pattern.compile("<li>\\{@link streamingdeepdive\\.\\w+\\.(\\w+)}: (.*?\\?) ");
  private static final Pattern LINK = Pattern.compile("\\{@link (?:[a-z]+\\.)*(\\w+)}");

  private record Row(String name, String question) {}

  private static List<Row> readme(String folder) throws IOException {
    return ROW.matcher(readString(Path.of("README.md")))
        .results()
        .filter(row -> row.group(2).equals(folder))
        .map(row -> new Row(row.group(1), row.group(3)))
        .toList();
  }

  private static List<String> names(String folder) throws IOException {
    return readme(folder).stream().map(Row::name).toList();
  }

  private static String javadoc(String folder, String name) throws IOException {
    String source = readString(SOURCES.resolve(folder).resolve(name + ".java"));
    return source
        .substring(source.indexOf("/**"), source.indexOf("*/"))
        .replaceAll("\\s+(\\*\\s+)?", " ");
  }

  /** The classes that stand behind such a word, up to the full stop. */
  private static List<String> linked(String folder, String name, String word) throws IOException {
    Pattern sentence = Pattern.compile("[> ]" + word + ": ((?:\\{@link \\S+}(?:, )?)+)\\.");
    List<MatchResult> sentences = sentence.matcher(javadoc(folder, name)).results().toList();
    assertThat(sentences).as("%s: %s", name, word).hasSizeLessThan(2);
    return sentences.stream()
        .flatMap(result -> LINK.matcher(result.group(1)).results())
        .map(link -> link.group(1))
        .toList();
  }

  @Test
  void theReadmeHasEveryLessonAndTrapOnce() throws IOException {
    assertThat(Stream.concat(readme("lesson").stream(), readme("trap").stream()).map(Row::name))
        .containsExactlyInAnyOrderElementsOf(
            Mains.all().stream().map(Class::getSimpleName).toList());
  }

  @Test
  void everyFileThatTheReadmeLinksIsThere() throws IOException {
    assertThat(
            Pattern.compile("]\\(([^)#]+)\\)").matcher(readString(Path.of("README.md"))).results())
        .isNotEmpty()
        .allSatisfy(link -> assertThat(Path.of(link.group(1))).exists());
  }

  @Test
  void theFirstCommandRunsTheFirstLesson() throws IOException {
    assertThat(readString(Path.of("pom.xml")))
        .contains(
            "<exec.mainClass>streamingdeepdive.lesson."
                + names("lesson").get(0)
                + "</exec.mainClass>");
  }

  @Test
  void thePagesOfThePackagesHaveTheSameOrderAndQuestions() throws IOException {
    for (String folder : List.of("lesson", "trap")) {
      List<Row> items =
          ITEM.matcher(javadoc(folder, "package-info"))
              .results()
              .map(
                  item ->
                      new Row(item.group(1), item.group(2).replaceAll("\\{@code (.*?)}", "`$1`")))
              .toList();
      assertThat(items).isEqualTo(readme(folder));
    }
  }

  @Test
  void eachLessonLinksTheOneBeforeAndTheNextOne() throws IOException {
    assertChain("lesson", "Before", "Next");
  }

  @Test
  void eachTrapLinksTheOneBeforeAndTheNextOne() throws IOException {
    assertChain("trap", "Trap before", "Next trap");
  }

  private static void assertChain(String folder, String before, String next) throws IOException {
    List<String> names = names(folder);
    for (int i = 0; i < names.size(); i++) {
      String name = names.get(i);
      assertThat(linked(folder, name, before))
          .as("%s: %s", name, before)
          .isEqualTo(names.subList(Math.max(0, i - 1), i));
      assertThat(linked(folder, name, next))
          .as("%s: %s", name, next)
          .isEqualTo(names.subList(i + 1, Math.min(i + 2, names.size())));
    }
  }

  @Test
  void aTrapLinksTheLessonsThatLinkIt() throws IOException {
    List<String> fromLessons = new ArrayList<>();
    List<String> fromTraps = new ArrayList<>();
    for (String lesson : names("lesson")) {
      linked("lesson", lesson, "Traps?").forEach(trap -> fromLessons.add(lesson + " - " + trap));
    }
    for (String trap : names("trap")) {
      List<String> lessons = linked("trap", trap, "Lessons?");
      assertThat(lessons).as(trap).isNotEmpty();
      lessons.forEach(lesson -> fromTraps.add(lesson + " - " + trap));
    }

    assertThat(fromTraps).containsExactlyInAnyOrderElementsOf(fromLessons);
  }
}
