package streamingdeepdive.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import streamingdeepdive.app.Replay.SampleFile;

class ReplayTest {
  @Test
  void readsTheFilesInTheOrderOfTheirNames() throws Exception {
    assertThat(Replay.read("sales"))
        .extracting(SampleFile::name)
        .isSorted()
        .startsWith("01-on-time.json");
  }

  @Test
  void theClassPathHasWhatTheFolderHas() throws Exception {
    assertThat(Replay.read("sales"))
        .isEqualTo(Replay.readFrom(Path.of("sample-data/sales").toUri()))
        .hasSize(8);
  }

  /** A desktop's or an editor's file, or a folder, is no sample. */
  @Test
  void passesOverWhatIsNoSample(@TempDir Path directory) throws Exception {
    Files.writeString(directory.resolve("1.json"), "{}\n");
    Files.writeString(directory.resolve(".DS_Store"), "\0");
    Files.writeString(directory.resolve(".1.json.swp"), "\0");
    Files.createDirectory(directory.resolve("more.json"));

    assertThat(Replay.readFrom(directory.toUri()))
        .containsExactly(new SampleFile("1.json", "{}\n"));
  }

  @Test
  void readsThemFromAJar(@TempDir Path directory) throws Exception {
    Path jar = directory.resolve("sample.jar");
    List<SampleFile> sales = Replay.read("sales");
    try (FileSystem files = FileSystems.newFileSystem(jar, Map.of("create", "true"))) {
      Path folder = Files.createDirectories(files.getPath("/sales"));
      for (SampleFile file : sales) {
        Files.writeString(folder.resolve(file.name()), file.content());
      }
    }
    assertThat(Replay.readFrom(URI.create("jar:" + jar.toUri() + "!/sales"))).isEqualTo(sales);
  }
}
