package streamingdeepdive.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryFeedTest {
  @TempDir Path directory;

  @Test
  void laterFilesHaveLaterModificationTimes() throws IOException {
    DirectoryFeed landing = new DirectoryFeed(directory);
    landing.land("b.json", "1\n");
    landing.land("a.json", "2\n");
    landing.land("c.json", "3\n");

    assertThat(Files.getLastModifiedTime(directory.resolve("a.json")))
        .isGreaterThan(Files.getLastModifiedTime(directory.resolve("b.json")))
        .isLessThan(Files.getLastModifiedTime(directory.resolve("c.json")));
  }

  @Test
  void aFileIsWholeAndNothingElseIsLeft() {
    new DirectoryFeed(directory).land("a.json", "1\n2\n");

    assertThat(directory.resolve("a.json")).hasContent("1\n2\n");
    assertThat(directory).isDirectoryNotContaining("glob:**/.*");
  }

  @Test
  void refusesANameThatTheSourceHasRead() {
    DirectoryFeed landing = new DirectoryFeed(directory);
    landing.land("a.json", "1\n");

    assertThatThrownBy(() -> landing.land("a.json", "2\n"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "a.json has landed before; the file source reads a name once, so give a new one");
    assertThat(directory.resolve("a.json")).hasContent("1\n");
  }
}
