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
import streamingdeepdive.app.SampleData.SampleFile;

class SampleDataTest {
  @Test
  void readsTheFilesInTheOrderOfTheirNames() throws Exception {
    assertThat(SampleData.read("sales"))
        .extracting(SampleFile::name)
        .isSorted()
        .startsWith("01-on-time.json");
  }

  @Test
  void theClassPathHoldsTheFilesToo() throws Exception {
    assertThat(SampleData.readPackaged("sales")).containsAll(SampleData.read("sales"));
  }

  @Test
  void readsThemFromAJar(@TempDir Path directory) throws Exception {
    Path jar = directory.resolve("sample.jar");
    List<SampleFile> sales = SampleData.read("sales");
    try (FileSystem files = FileSystems.newFileSystem(jar, Map.of("create", "true"))) {
      Path folder = Files.createDirectories(files.getPath("/sales"));
      for (SampleFile file : sales) {
        Files.writeString(folder.resolve(file.name()), file.content());
      }
    }
    assertThat(SampleData.readFrom(URI.create("jar:" + jar.toUri() + "!/sales"))).isEqualTo(sales);
  }
}
