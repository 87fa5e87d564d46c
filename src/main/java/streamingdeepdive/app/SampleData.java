package streamingdeepdive.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The folder {@code sample-data} of the working directory or, where there is none, of the jar. */
final class SampleData {
  private SampleData() {}

  record SampleFile(String name, String content) {}

  /** Reads one folder's files in the order of their names. */
  static List<SampleFile> read(String folder) throws IOException, URISyntaxException {
    Path local = Path.of("sample-data", folder);
    return Files.isDirectory(local) ? readFiles(local) : readPackaged(folder);
  }

  static List<SampleFile> readPackaged(String folder) throws IOException, URISyntaxException {
    return readFrom(
        SampleData.class.getResource("/streamingdeepdive/sample-data/" + folder).toURI());
  }

  static List<SampleFile> readFrom(URI packaged) throws IOException {
    if (!packaged.getScheme().equals("jar")) {
      return readFiles(Path.of(packaged));
    }
    try (FileSystem jar = FileSystems.newFileSystem(packaged, Map.of())) {
      return readFiles(jar.provider().getPath(packaged));
    }
  }

  private static List<SampleFile> readFiles(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().map(SampleData::readFile).toList();
    }
  }

  private static SampleFile readFile(Path file) {
    try {
      return new SampleFile(file.getFileName().toString(), Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
