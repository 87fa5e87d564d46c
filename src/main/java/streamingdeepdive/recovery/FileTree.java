package streamingdeepdive.recovery;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toSet;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.streaming.CheckpointFileManager;

/**
 * A directory on any Hadoop file system, which need not exist, and what is in it.
 *
 * @param root its path, with the scheme
 */
record FileTree(FileSystem files, Path root) {
  /** A file of one of Spark's logs; every tenth of some logs holds those before it. */
  private static final Pattern BATCH_FILE = Pattern.compile("(\\d+)(\\.compact)?");

  static FileTree at(SparkSession spark, String directory) {
    try {
      Path path = new Path(directory);
      FileSystem files = path.getFileSystem(spark.sessionState().newHadoopConf());
      return new FileTree(files, files.makeQualified(path));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Path path(String name) {
    return new Path(root, name);
  }

  /** All files, also those in directories below. */
  Stream<Path> list() {
    return list(root, true);
  }

  private Stream<Path> list(Path directory, boolean recursive) {
    List<Path> paths = new ArrayList<>();
    try {
      RemoteIterator<LocatedFileStatus> found = files.listFiles(directory, recursive);
      while (found.hasNext()) {
        paths.add(found.next().getPath());
      }
    } catch (FileNotFoundException e) {
      return Stream.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return paths.stream();
  }

  /** A small text; empty if the file does not exist. */
  Optional<String> read(Path file) {
    try (InputStream in = files.open(file)) {
      return Optional.of(new String(in.readAllBytes(), UTF_8));
    } catch (FileNotFoundException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes a small text: readers find the old one or this, whole. */
  void write(Path file, String content) throws IOException {
    var out = CheckpointFileManager.create(root, files.getConf()).createAtomic(file, true);
    try {
      out.write(content.getBytes(UTF_8));
      out.close();
    } catch (IOException e) {
      out.cancel();
      throw e;
    }
  }

  /** The newest micro-batch that has a file in one of Spark's logs. */
  OptionalLong lastBatchId(String log) {
    return list(path(log), false)
        .map(file -> BATCH_FILE.matcher(file.getName()))
        .filter(Matcher::matches)
        .mapToLong(name -> Long.parseLong(name.group(1)))
        .max();
  }

  /** Requires the file or directory that tells which of the files here count. */
  void requireUnlessEmpty(String name) {
    if (!exists(path(name)) && list().anyMatch(file -> !file.getName().startsWith("."))) {
      throw new IllegalStateException(
          "The output "
              + root
              + " holds files but not "
              + name
              + ", which tells those to be read. Restore it, or start anew with a new checkpoint and"
              + " a new output.");
    }
  }

  /** Requires the part files that a log names: they were written whole, and can only be deleted. */
  void requireParts(List<Path> parts) {
    Set<Path> present = list().collect(toSet());
    for (Path part : parts) {
      // The log may name the same file system in another way than the listing does.
      if (!present.contains(part) && !exists(part)) {
        throw new IllegalStateException(
            "The part file "
                + part
                + " is gone, and its rows with it. Restore it, or start anew with a new checkpoint"
                + " and a new output.");
      }
    }
  }

  private boolean exists(Path path) {
    try {
      return files.exists(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return root.toString();
  }
}
