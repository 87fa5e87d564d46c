package streamingdeepdive.recovery;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.FunctionRaisingIOE;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.streaming.CheckpointFileManager;

/** A directory on any Hadoop file system, and what is in it; nothing if it does not exist. */
record FileTree(SparkSession spark, FileSystem files, Path root) {
  /** A file of one of Spark's logs; every tenth of some logs holds those before it. */
  private static final Pattern BATCH_FILE = Pattern.compile("(\\d+)(\\.compact)?");

  static FileTree at(SparkSession spark, String directory) {
    try {
      Path path = new Path(directory);
      FileSystem files = path.getFileSystem(spark.sessionState().newHadoopConf());
      return new FileTree(spark, files, files.makeQualified(path));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Path path(String name) {
    return new Path(root, name);
  }

  /** All files, also those in directories below. */
  Stream<FileStatus> list(Path directory) {
    return children(directory)
        .flatMap(child -> child.isDirectory() ? list(child.getPath()) : Stream.of(child));
  }

  Stream<FileStatus> children(Path directory) {
    return find(directory, files::listStatus).stream().flatMap(Arrays::stream);
  }

  Optional<FileStatus> status(Path path) {
    return find(path, files::getFileStatus);
  }

  /** A small text; empty if the file does not exist. */
  Optional<String> read(String name) {
    return find(
        path(name),
        file -> {
          try (InputStream in = files.open(file)) {
            return new String(in.readAllBytes(), UTF_8);
          }
        });
  }

  private static <T> Optional<T> find(Path path, FunctionRaisingIOE<Path, T> finder) {
    try {
      return Optional.of(finder.apply(path));
    } catch (FileNotFoundException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes a small text: readers find the old one or this, whole. */
  void write(String name, String content) {
    try {
      var manager = CheckpointFileManager.create(root, spark.sessionState().newHadoopConf());
      manager.mkdirs(root);
      var out = manager.createAtomic(path(name), true);
      try {
        out.write(content.getBytes(UTF_8));
        out.close();
      } catch (IOException e) {
        out.cancel();
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The newest micro-batch that has a file in one of Spark's logs; -1 if none has. */
  long lastBatchId(String log) {
    return children(path(log))
        .map(file -> BATCH_FILE.matcher(file.getPath().getName()))
        .filter(Matcher::matches)
        .mapToLong(name -> Long.parseLong(name.group(1)))
        .max()
        .orElse(-1);
  }

  /** Requires the file or directory that tells which of the files here count. */
  void requireUnlessEmpty(String name) {
    if (status(path(name)).isEmpty()
        && list(root).anyMatch(file -> !file.getPath().getName().startsWith("."))) {
      throw new IllegalStateException(
          "The output directory %s holds files but not %s, which tells those to be read. Restore it, or start anew with a new checkpoint and a new output."
              .formatted(root, name));
    }
  }

  @Override
  public String toString() {
    return root.toString();
  }
}
