package streamingdeepdive;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ClassPathTest {
  /** The list is that of a project whose only dependencies are spark-sql and spark-sql-kafka. */
  @Test
  void noDependencyMovesAVersionThatSparkShips() throws Exception {
    Set<String> classPath =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(entry -> Path.of(entry).getFileName().toString())
            .collect(Collectors.toSet());

    assertThat(classPath)
        .as("pin what is missing here to Spark's version, in dependencyManagement")
        .containsAll(Files.readAllLines(Path.of("src/test/resources/spark-3.5.7-class-path.txt")));
  }
}
