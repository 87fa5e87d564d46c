package streamingdeepdive;

import static java.nio.file.Files.readString;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.ReflectionSupport;

/** Each statement of the lesson has a test that is there, or a sentence that is there. */
class StatementsTest {
  private static final Path PAGE = Path.of("src/test/java/streamingdeepdive/statements.md");
  private static final Pattern STATEMENT =
      Pattern.compile(
          "^\\| (?!Statement )([^|]+) \\| (\\w+) \\| ([^|]+) \\|( [^|]+)? \\|$", Pattern.MULTILINE);
  private static final Pattern TEST = Pattern.compile("`([\\w.]+)#(\\w+)`");
  private static final Pattern SENTENCE = Pattern.compile("`([\\w.]+)`: \"([^\"]+)\"");

  private static List<MatchResult> statements() throws IOException {
    return STATEMENT.matcher(readString(PAGE)).results().toList();
  }

  @Test
  void eachRowIsAStatementWithItsVerdict() throws IOException {
    long rows = readString(PAGE).lines().filter(line -> line.startsWith("| ")).count();
    long tables = readString(PAGE).lines().filter(line -> line.startsWith("|---")).count();

    assertThat(statements())
        .hasSize((int) (rows - tables))
        .allSatisfy(
            row -> {
              assertThat(row.group(2)).isIn("proved", "corrected", "said");
              assertThat(TEST.matcher(row.group(3)).find())
                  .as(row.group())
                  .isNotEqualTo(row.group(2).equals("said"));
              assertThat(SENTENCE.matcher(row.group(3)).find())
                  .as(row.group())
                  .isEqualTo(row.group(2).equals("said"));
              assertThat(row.group(4) != null || !row.group(2).equals("corrected"))
                  .as(row.group())
                  .isTrue();
            });
  }

  @Test
  void eachTestIsThere() throws IOException {
    assertThat(TEST.matcher(readString(PAGE)).results().filter(test -> !isThere(test)))
        .extracting(MatchResult::group)
        .isEmpty();
  }

  private static boolean isThere(MatchResult test) {
    return ReflectionSupport.tryToLoadClass("streamingdeepdive." + test.group(1))
        .toOptional()
        .stream()
        .flatMap(type -> Stream.of(type.getDeclaredMethods()))
        .anyMatch(
            method ->
                method.getName().equals(test.group(2))
                    && AnnotationSupport.isAnnotated(method, Testable.class));
  }

  @Test
  void eachSentenceIsThere() throws IOException {
    for (MatchResult quote : SENTENCE.matcher(readString(PAGE)).results().toList()) {
      String file = "src/main/java/streamingdeepdive/" + quote.group(1).replace('.', '/') + ".java";
      assertThat(readString(Path.of(file)).replaceAll("\\s+(\\* )?", " ")).contains(quote.group(2));
    }
  }
}
