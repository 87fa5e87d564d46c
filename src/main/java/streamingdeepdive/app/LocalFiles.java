package streamingdeepdive.app;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.DelegateToFileSystem;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Hadoop's local file system without the processes that it starts for each file, and on Windows
 * without its native library: permissions are set by Java, where the system has them, and not
 * looked up.
 */
final class LocalFiles extends LocalFileSystem {
  LocalFiles() {
    super(new RawFiles());
  }

  /** The same for Hadoop's other interface, which Delta uses. */
  static final class Context extends DelegateToFileSystem {
    Context(URI uri, Configuration configuration) throws IOException, URISyntaxException {
      super(uri, new LocalFiles(), configuration, uri.getScheme(), false);
    }

    @Override
    public int getUriDefaultPort() {
      return -1; // there is none
    }
  }

  private static final class RawFiles extends RawLocalFileSystem {
    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
      FileStatus file = super.getFileStatus(path);
      return new FileStatus(
          file.getLen(),
          file.isDirectory(),
          file.getReplication(),
          file.getBlockSize(),
          file.getModificationTime(),
          file.getPath());
    }

    /** Hadoop's own forks readlink. Links are followed, as everywhere here. */
    @Override
    public FileStatus getFileLinkStatus(Path path) throws IOException {
      return getFileStatus(path);
    }

    /** Hadoop's own asks the native library on Windows. */
    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
      File file = pathToFile(path);
      if (!file.isDirectory()) {
        return new FileStatus[] {getFileStatus(path)};
      }
      String[] names = file.list();
      if (names == null) {
        throw new AccessDeniedException(file.toString());
      }
      List<FileStatus> found = new ArrayList<>();
      for (String name : names) {
        try {
          found.add(getFileStatus(new Path(path, new Path(null, null, name))));
        } catch (FileNotFoundException e) {
          // Deleted since, or a link to nothing.
        }
      }
      return found.toArray(FileStatus[]::new);
    }

    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
      PosixFileAttributeView view =
          Files.getFileAttributeView(pathToFile(path).toPath(), PosixFileAttributeView.class);
      if (view != null) {
        // Without what Hadoop may write behind the nine.
        view.setPermissions(PosixFilePermissions.fromString(permission.toString().substring(0, 9)));
      }
    }
  }
}
