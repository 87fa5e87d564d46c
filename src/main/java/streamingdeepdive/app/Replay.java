package streamingdeepdive.app;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The sample files that have not been fed to a query yet, in the order of their names. */
final class Replay {
  /** A place where a source finds what is fed to it. */
  interface Feed {
    /**
     * Makes one piece appear, as a whole.
     *
     * @param name its name, not yet used in this place
     * @param content its lines, each ended by a line feed
     */
    void land(String name, String content);

    /** {@return how many rows a query has read once it has seen all; 0 if it sees them at once} */
    default long rowsToAwait() {
      return 0;
    }
  }

  record SampleFile(String name, String content) {}

  /** A file that is about to land. */
  record Step(String folder, SampleFile file, Feed feed) {
    void land() {
      feed.land(file.name(), file.content());
    }
  }

  private final List<Step> steps = new ArrayList<>();

  /** Adds a folder, from its first file again if it was added before. */
  void add(String folder, Feed feed) {
    steps.removeIf(step -> step.folder.equals(folder));
    read(folder).forEach(file -> steps.add(new Step(folder, file, feed)));
    steps.sort(Comparator.comparing(step -> step.file.name()));
  }

  boolean isEmpty() {
    return steps.isEmpty();
  }

  Step next() {
    return steps.remove(0);
  }

  /** Reads a folder of {@code sample-data}, which the build puts on the class path. */
  static List<SampleFile> read(String folder) {
    try {
      return readFrom(Replay.class.getResource("/streamingdeepdive/sample-data/" + folder).toURI());
    } catch (IOException | URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  static List<SampleFile> readFrom(URI folder) throws IOException {
    if (!folder.getScheme().equals("jar")) {
      return readFiles(Path.of(folder));
    }
    try (FileSystem jar = FileSystems.newFileSystem(folder, Map.of())) {
      return readFiles(jar.provider().getPath(folder));
    }
  }

  private static List<SampleFile> readFiles(Path folder) throws IOException {
    List<SampleFile> files = new ArrayList<>();
    try (Stream<Path> found = Files.list(folder)) {
      for (Path file : found.filter(Replay::isSample).sorted().toList()) {
        files.add(new SampleFile(file.getFileName().toString(), Files.readString(file)));
      }
    }
    return files;
  }

  /** Not what desktops and editors leave behind. */
  private static boolean isSample(Path file) {
    return file.getFileName().toString().matches("[^._].*\\.json") && Files.isRegularFile(file);
  }
}
