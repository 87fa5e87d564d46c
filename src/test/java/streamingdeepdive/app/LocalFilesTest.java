package streamingdeepdive.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsPermission;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalFilesTest {
  @TempDir Path place;

  private FileSystem files;

  /** As Hadoop makes it, by the name of the class. */
  @BeforeEach
  void open() throws IOException {
    Configuration configuration = new Configuration();
    configuration.set("fs.file.impl", LocalFiles.class.getName());
    files = FileSystem.newInstance(URI.create("file:///"), configuration);
    assertThat(files).isInstanceOf(LocalFiles.class);
  }

  private org.apache.hadoop.fs.Path path(String name) {
    return new org.apache.hadoop.fs.Path(place.resolve(name).toUri());
  }

  private void write(String name) throws IOException {
    try (OutputStream out = files.create(path(name))) {
      out.write("text".getBytes(UTF_8));
    }
  }

  /** The second is a link to the directory of the first. */
  private void linkToADirectory() throws IOException {
    write("target/file");
    Files.createSymbolicLink(place.resolve("link"), place.resolve("target"));
  }

  @Test
  void aLinkToADirectoryListsAndReads() throws IOException {
    linkToADirectory();
    Files.createSymbolicLink(place.resolve("target/file link"), place.resolve("target/file"));

    assertThat(files.getFileStatus(path("link")).isDirectory()).isTrue();
    assertThat(list("link")).containsExactlyInAnyOrder(path("link/file"), path("link/file link"));
    assertThat(list("."))
        .containsExactlyInAnyOrder(
            path("link/file"),
            path("link/file link"),
            path("target/file"),
            path("target/file link"));
    for (String name : List.of("link/file", "link/file link")) {
      try (var in = files.open(path(name))) {
        assertThat(in.readAllBytes()).asString(UTF_8).isEqualTo("text");
      }
    }
  }

  private List<org.apache.hadoop.fs.Path> list(String directory) throws IOException {
    List<org.apache.hadoop.fs.Path> paths = new ArrayList<>();
    RemoteIterator<LocatedFileStatus> found = files.listFiles(path(directory), true);
    while (found.hasNext()) {
      paths.add(found.next().getPath());
    }
    return paths;
  }

  @Test
  void aLinkThatIsDeletedLeavesItsTarget() throws IOException {
    linkToADirectory();
    Files.createDirectory(place.resolve("other"));
    Files.createSymbolicLink(place.resolve("other/link"), place.resolve("target"));

    assertThat(files.delete(path("link"), true)).isTrue();
    assertThat(files.delete(path("other"), true)).isTrue();
    assertThat(place.resolve("target/file")).hasContent("text");
    assertThat(place.resolve("link")).doesNotExist();
    assertThat(place.resolve("other")).doesNotExist();
  }

  @Test
  void permissionsAreSet() throws IOException {
    assumeTrue(FileSystems.getDefault().supportedFileAttributeViews().contains("posix"));
    write("file");

    for (String symbols : List.of("rw-------", "r-xr-x--x", "rwxrwxrwx")) {
      files.setPermission(path("file"), FsPermission.valueOf("-" + symbols));
      assertThat(Files.getPosixFilePermissions(place.resolve("file")))
          .isEqualTo(PosixFilePermissions.fromString(symbols));
    }
    files.mkdirs(path("sticky"), new FsPermission((short) 01750));
    assertThat(Files.getPosixFilePermissions(place.resolve("sticky")))
        .isEqualTo(PosixFilePermissions.fromString("rwxr-x---"));
  }

  @Test
  void aFileSystemWithoutSuchPermissionsIsLeftAlone() throws IOException {
    assumeTrue(!FileSystems.getDefault().supportedFileAttributeViews().contains("posix"));
    write("file");

    assertThatCode(() -> files.setPermission(path("file"), new FsPermission((short) 0700)))
        .doesNotThrowAnyException();
  }

  @Test
  void aLinkToNothingIsNotListed() throws IOException {
    write("file");
    Files.createSymbolicLink(place.resolve("link"), place.resolve("nothing"));

    assertThat(files.listStatus(path(".")))
        .extracting(FileStatus::getPath)
        .containsExactly(path("file"));
    assertThat(files.listStatus(path("file"))).hasSize(1);
    assertThatThrownBy(() -> files.listStatus(path("nothing")))
        .isInstanceOf(FileNotFoundException.class);
  }

  /** As Delta commits a version. */
  private void renameByTheOtherInterface() throws IOException {
    Configuration configuration = new Configuration();
    configuration.set("fs.AbstractFileSystem.file.impl", LocalFiles.Context.class.getName());
    FileContext context = FileContext.getFileContext(URI.create("file:///"), configuration);
    write("new");
    context.rename(path("new"), path("version"));
    assertThat(place.resolve("version")).hasContent("text");
    write("new");
    assertThatThrownBy(() -> context.rename(path("new"), path("version")))
        .isInstanceOf(FileAlreadyExistsException.class);
  }

  @Test
  void noProcessIsForked() throws IOException {
    try (Recording recording = new Recording()) {
      recording.enable("jdk.ProcessStart");
      recording.start();
      write("a/b/file");
      files.setPermission(path("a"), new FsPermission((short) 0700));
      list(".");
      files.rename(path("a/b"), path("c"));
      files.delete(path("c"), true);
      renameByTheOtherInterface();
      recording.stop();
      Path dump = place.resolve("forks.jfr");
      recording.dump(dump);

      assertThat(RecordingFile.readAllEvents(dump))
          .extracting(event -> event.getString("command"))
          // Hadoop asks once in a JVM whether there is one.
          .filteredOn(command -> !command.contains("setsid"))
          .isEmpty();
    }
  }
}
