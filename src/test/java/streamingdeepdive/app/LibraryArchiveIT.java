package streamingdeepdive.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import streamingdeepdive.lesson.WindowedAggregation;

class LibraryArchiveIT {
  @TempDir Path place;

  /** An archive that is missing or does not fit would make children slower, and nothing else. */
  @Test
  void quickChildrenTakeTheClassesOfTheLibrariesFromTheArchive() throws Exception {
    List<String> flags = new ArrayList<>(ChildJvm.QUICK);
    flags.add("-Xlog:class+load");
    try (ChildJvm child = ChildJvm.start(flags, place, WindowedAggregation.class)) {
      assertThat(child.awaitLine(" org.apache.spark.SparkContext "))
          .endsWith("source: shared objects file");
    }
  }
}
