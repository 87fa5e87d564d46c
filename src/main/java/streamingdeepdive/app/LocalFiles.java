package streamingdeepdive.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/** Hadoop's local files, without the process that it forks for each permission it sets. */
public final class LocalFiles extends LocalFileSystem {
  /** Creates the file system; Hadoop does. */
  public LocalFiles() {
    super(new RawFiles());
  }

  private static final class RawFiles extends RawLocalFileSystem {
    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
      PosixFileAttributeView view =
          Files.getFileAttributeView(pathToFile(path).toPath(), PosixFileAttributeView.class);
      if (view != null) {
        view.setPermissions(PosixFilePermissions.fromString(permission.toString().substring(0, 9)));
      }
    }
  }
}
