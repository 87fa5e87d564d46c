package streamingdeepdive;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** What the documentation says that a main prints. */
public final class MainOutput {
  private static final Path SOURCES = Path.of("src/main/java");
  private static final Pattern JAVADOC_BLOCK =
      Pattern.compile("<pre>\\{@code\n(== .*?)}</pre>", Pattern.DOTALL);

  private MainOutput() {}

  /** The whole output, from the doc-files of the main's package. */
  public static String whole(Class<?> main) throws IOException {
    return Files.readString(
        source(main).resolveSibling("doc-files").resolve(main.getSimpleName() + ".txt"));
  }

  /** The parts of the output that stand in the main's Javadoc. */
  static List<String> inJavadoc(Class<?> main) throws IOException {
    String source = Files.readString(source(main));
    return JAVADOC_BLOCK
        .matcher(source.replace("\n * ", "\n").replace("\n *\n", "\n\n"))
        .results()
        .map(block -> block.group(1))
        .toList();
  }

  private static Path source(Class<?> main) {
    return SOURCES.resolve(main.getName().replace('.', '/') + ".java");
  }
}
