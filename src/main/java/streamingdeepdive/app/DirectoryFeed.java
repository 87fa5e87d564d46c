package streamingdeepdive.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;

/**
 * A directory in which files appear as Spark's file source needs it, which reads a file once, as
 * long as it is then, and in the order of modification times: each is written under a hidden name,
 * gets a later time than the one before, and is renamed.
 */
public final class DirectoryFeed implements Replay.Feed {
  private static final Instant FIRST_MODIFICATION_TIME = Instant.parse("2026-01-01T00:00:00Z");

  private final Path directory;
  private int landed;

  /**
   * Uses an empty directory; creates it if it does not exist.
   *
   * @param directory a local directory that nobody else writes to
   */
  public DirectoryFeed(Path directory) {
    try {
      this.directory = Files.createDirectories(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Path newDirectory(String prefix) {
    try {
      return Files.createTempDirectory(prefix);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** {@return the directory as the file source takes it, an absolute {@code file:} URI} */
  public String uri() {
    return uri(directory);
  }

  static String uri(Path path) {
    return new org.apache.hadoop.fs.Path(path.toUri()).toString();
  }

  /** {@return how the file source, which takes patterns, takes the name of a directory} */
  static String literal(String directory) {
    String path = new org.apache.hadoop.fs.Path(directory).toString();
    return path.replaceAll("[\\[\\]{}*?\\\\]", "\\\\$0");
  }

  @Override
  public void land(String name, String content) {
    Path target = directory.resolve(name);
    if (Files.exists(target)) {
      throw new IllegalArgumentException(
          name + " has landed before; the file source reads a name once, so give a new one");
    }
    try {
      Path hidden = Files.writeString(directory.resolve("." + name), content);
      Files.setLastModifiedTime(
          hidden, FileTime.from(FIRST_MODIFICATION_TIME.plusSeconds(landed++)));
      Files.move(hidden, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
