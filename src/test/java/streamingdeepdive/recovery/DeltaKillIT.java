package streamingdeepdive.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import streamingdeepdive.app.ChildJvm;
import streamingdeepdive.app.DirectoryFeed;
import streamingdeepdive.lesson.DeltaSink;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.testkit.StreamingExtension;

/**
 * A process that writes to Delta tables is killed inside the write of a micro-batch, and between
 * that and its commit. In the end the tables have the rows of the batch query over the same files.
 */
@ExtendWith({DeltaContext.class, StreamingExtension.class})
class DeltaKillIT {
  private static final int FILES = 2;
  private static final List<RecoveredQuery> QUERIES =
      List.of(RecoveredQuery.DELTA_FINAL_TOTALS, RecoveredQuery.DELTA_LATEST_TOTALS);

  /** The other query is killed wherever it happens to be. */
  private static final List<KillPoint> KILLS =
      List.of(
          new KillPoint(1, "RENAME .*/output/DELTA_LATEST_TOTALS/_delta_log/0+1.json"),
          new KillPoint(1, "RENAME .*/checkpoint/DELTA_LATEST_TOTALS/commits/"));

  @TempDir Path place;

  @Test
  void killedInsideAndAfterTheWriteNoRowIsWrong(SparkSession delta) throws Exception {
    land();

    for (KillPoint kill : KILLS) {
      try (ChildJvm child = start(kill)) {
        child.awaitLine("waiting before ");
        child.kill();
      }
    }
    try (ChildJvm child = start(KillPoint.NEVER)) {
      child.awaitLine("done");
      assertThat(child.awaitExitCode()).isZero();
    }

    Dataset<Row> events = FileSource.readTable(delta, place.resolve("input").toString());
    for (RecoveredQuery query : QUERIES) {
      assertThat(rows(query.read(delta, place.resolve("output").resolve(query.name()).toString())))
          .as(query.name())
          .isEqualTo(rows(query.rows(events)))
          .hasSizeGreaterThan(FILES);
    }
  }

  /** Each file adds to the windows of the one before; the last two close all others. */
  private void land() {
    DirectoryFeed input = new DirectoryFeed(place.resolve("input"));
    Instant start = Instant.parse("2026-01-01T00:00:00Z");
    for (int file = 0; file < FILES; file++) {
      StringBuilder lines = new StringBuilder();
      for (int i = 0; i < 8; i++) {
        Instant time = start.plusSeconds(file * 240L + i * 60L);
        lines.append(line(time, i % 2 == 0 ? "eu" : "us", file + 0.5));
      }
      input.land("%02d.json".formatted(file), lines.toString());
    }
    input.land("closing-1.json", line(start.plusSeconds(86_400), "none", 0));
    input.land("closing-2.json", line(start.plusSeconds(86_400), "none", 0));
  }

  private static String line(Instant time, String region, double amount) {
    return "{\"event_time\":\"%s\",\"region\":\"%s\",\"amount\":%s}\n"
        .formatted(time, region, amount);
  }

  private static List<String> rows(Dataset<Row> rows) {
    return rows.where("region <> 'none'").collectAsList().stream()
        .map(Row::toString)
        .sorted()
        .toList();
  }

  private ChildJvm start(KillPoint kill) throws Exception {
    List<String> flags = new ArrayList<>(ChildJvm.QUICK);
    flags.add(ChildJvm.LOGGING_OF_A_MAIN);
    DeltaSink.SETTINGS.forEach((name, value) -> flags.add("-D" + name + "=" + value));
    flags.add("-Dspark.delta.logStore.hooked.impl=io.delta.storage.LocalLogStore");
    List<String> args =
        new ArrayList<>(List.of(place.toString(), "1", Integer.toString(kill.nth()), kill.event()));
    QUERIES.forEach(query -> args.add(query.name()));
    ChildJvm child = ChildJvm.start(flags, place, KilledQueries.class, args.toArray(String[]::new));
    child.send("go");
    return child;
  }
}
