package streamingdeepdive.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The README's {@code spark-submit}, with other places for those that nobody else has. */
final class ReadmeCommand {
  private static final Pattern COMMAND =
      Pattern.compile("^    spark-submit (.*\\\\\n(?: {8}.*\n)+)", Pattern.MULTILINE);

  private ReadmeCommand() {}

  /**
   * {@return what follows {@code spark-submit}, with the jar that was packaged}
   *
   * @param main the lesson in the place of the README's
   * @param options those of the lesson
   */
  static String[] submit(Class<?> main, Map<String, String> options) throws IOException {
    List<String> words = words();
    List<String> args = new ArrayList<>(List.of(words.get(0), main.getName(), jar().toString()));
    options.forEach((name, value) -> args.addAll(List.of("--" + name, value)));
    return args.toArray(String[]::new);
  }

  /** {@code --class}, a class, the jar, and the lesson's options. */
  private static List<String> words() throws IOException {
    String command =
        COMMAND
            .matcher(Files.readString(Path.of("README.md")))
            .results()
            .map(MatchResult::group)
            .findFirst()
            .orElseThrow();
    List<String> words = List.of(command.replace("\\\n", "").strip().split("\\s+"));
    return words.subList(1, words.size());
  }

  private static Path jar() throws IOException {
    Path jar = Path.of(words().get(2)).toAbsolutePath();
    if (Files.notExists(jar)) {
      throw new AssertionError("Run mvn package first: there is no " + jar);
    }
    return jar;
  }
}
