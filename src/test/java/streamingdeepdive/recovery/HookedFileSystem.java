package streamingdeepdive.recovery;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.spark.sql.SparkSession;

/**
 * The local files under a scheme of its own, {@code hooked:}, with a hook before each change of
 * them. The hook can refuse the change, as a full disk does, or never return from it.
 */
public final class HookedFileSystem extends RawLocalFileSystem {
  private static final URI NAME = URI.create("hooked:///");

  /** A change of a file. */
  public enum Change {
    CREATE,
    WRITE,
    RENAME,
    DELETE,
    MKDIRS
  }

  /** Called before each change. */
  @FunctionalInterface
  public interface Hook {
    void before(Change change, org.apache.hadoop.fs.Path path) throws IOException;
  }

  private static volatile Hook hook = (change, path) -> {};

  /** Sets the hook of all file systems of this kind. */
  public static void setHook(Hook before) {
    hook = before;
  }

  /** Refuses some changes, as a full disk or a missing permission does. */
  public static void refuse(Change refused, String path, String message) {
    Pattern pattern = Pattern.compile(path);
    setHook(
        (change, changed) -> {
          if (change == refused && pattern.matcher(changed.toString()).find()) {
            throw new IOException(message);
          }
        });
  }

  /** Lets all changes pass again. */
  public static void removeHook() {
    setHook((change, path) -> {});
  }

  /** Makes the scheme known to Spark, and returns a local directory under it. */
  public static String in(SparkSession spark, Path directory) {
    spark
        .sparkContext()
        .hadoopConfiguration()
        .set("fs.hooked.impl", HookedFileSystem.class.getName());
    return NAME + directory.toString().substring(1);
  }

  @Override
  public URI getUri() {
    return NAME;
  }

  @Override
  protected OutputStream createOutputStreamWithMode(
      org.apache.hadoop.fs.Path path, boolean append, FsPermission permission) throws IOException {
    hook.before(Change.CREATE, path);
    OutputStream file = super.createOutputStreamWithMode(path, append, permission);
    return new FilterOutputStream(file) {
      /** In two halves, so that the file can be found half written. */
      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        int half = length / 2;
        file.write(bytes, offset, half);
        hook.before(Change.WRITE, path);
        file.write(bytes, offset + half, length - half);
      }
    };
  }

  @Override
  public boolean rename(org.apache.hadoop.fs.Path from, org.apache.hadoop.fs.Path to)
      throws IOException {
    hook.before(Change.RENAME, to);
    return super.rename(from, to);
  }

  /** File by file, so that a directory can be found half deleted. */
  @Override
  public boolean delete(org.apache.hadoop.fs.Path path, boolean recursive) throws IOException {
    hook.before(Change.DELETE, path);
    if (recursive && exists(path) && getFileStatus(path).isDirectory()) {
      for (FileStatus child : listStatus(path)) {
        delete(child.getPath(), true);
      }
    }
    return super.delete(path, recursive);
  }

  /** Otherwise Hadoop starts a process for each file that is listed. */
  @Override
  public FileStatus getFileStatus(org.apache.hadoop.fs.Path path) throws IOException {
    FileStatus file = super.getFileStatus(path);
    return new FileStatus(
        file.getLen(),
        file.isDirectory(),
        file.getReplication(),
        file.getBlockSize(),
        file.getModificationTime(),
        file.getPath());
  }

  /** And here for each that is made. */
  @Override
  public void setPermission(org.apache.hadoop.fs.Path path, FsPermission permission) {}

  @Override
  public boolean mkdirs(org.apache.hadoop.fs.Path path) throws IOException {
    hook.before(Change.MKDIRS, path);
    return super.mkdirs(path);
  }
}
