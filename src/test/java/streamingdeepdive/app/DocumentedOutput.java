package streamingdeepdive.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** Compares what a main prints with what the documentation says it prints. */
public final class DocumentedOutput {
  private static final Path SOURCES = Path.of("src/main/java");
  private static final Pattern JAVADOC_BLOCK =
      Pattern.compile("<pre>\\{@code\n(== .*?)}</pre>", Pattern.DOTALL);

  private DocumentedOutput() {}

  /**
   * Runs a main without arguments and expects the text in its package's doc-files, of which each
   * output block in its Javadoc is a part.
   */
  public static void check(Class<?> main, Runnable run) throws IOException {
    CapturedOutput output = CapturedOutput.of(run);

    assertThat(output.err()).isEmpty();
    assertThat(output.out()).isEqualToNormalizingNewlines(wholeOutput(main));
    assertThat(javadocBlocks(main))
        .isNotEmpty()
        .allSatisfy(b -> assertThat(output.out()).contains(b));
  }

  /** The documented output of a main. */
  public static String wholeOutput(Class<?> main) throws IOException {
    Path docFiles = source(main).resolveSibling("doc-files");
    return Files.readString(docFiles.resolve(main.getSimpleName() + ".txt"));
  }

  private static List<String> javadocBlocks(Class<?> main) throws IOException {
    return JAVADOC_BLOCK
        .matcher(Files.readString(source(main)).replace("\n * ", "\n").replace("\n *\n", "\n\n"))
        .results()
        .map(block -> block.group(1))
        .toList();
  }

  private static Path source(Class<?> main) {
    return SOURCES.resolve(main.getName().replace('.', '/') + ".java");
  }
}
