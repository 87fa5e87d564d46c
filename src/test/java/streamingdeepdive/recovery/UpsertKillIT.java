package streamingdeepdive.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import streamingdeepdive.app.ChildJvm;
import streamingdeepdive.app.DirectoryFeed;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.JdbcSink;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.testkit.StreamingExtension;

/**
 * A process that writes to databases is killed before, inside and after the transaction of a
 * micro-batch, or writes from the executors of a cluster. In the end each database has the totals
 * of the batch query over the same files.
 */
@ExtendWith(StreamingExtension.class)
class UpsertKillIT {
  private static final int FILES = 4;

  /** When all is staged, when all is upserted, and when that is committed. */
  private static final List<KillPoint> KILLS =
      List.of(
          new KillPoint(1, "UPDATE \"totals_progress\""),
          new KillPoint(2, "COMMIT;.* UPDATE \"totals_progress\""),
          new KillPoint(1, "COMMITTED.* UPDATE \"totals_progress\""));

  @TempDir Path place;

  @Test
  void killedBeforeInsideAndAfterTheTransactionNoTotalIsWrong(SparkSession spark) throws Exception {
    Map<String, String> postgres = TestDatabase.POSTGRESQL.create();
    land();

    for (KillPoint kill : KILLS) {
      try (ChildJvm child = start(kill, postgres)) {
        child.awaitLine("waiting before ");
        child.awaitLine("waiting before ");
        child.kill();
      }
    }
    try (ChildJvm child = start(KillPoint.NEVER, postgres)) {
      child.awaitLine("done");
      assertThat(child.awaitExitCode()).isZero();
      assertThat(child.err()).doesNotContain("sesame");
    }

    for (Map<String, String> options : List.of(postgres, KilledUpserts.h2(place.toString()))) {
      assertTotals(spark, options);
    }
  }

  /** Each executor is a process of its own. */
  @Test
  void theExecutorsOfAClusterWriteTheSameTotals(SparkSession spark) throws Exception {
    Map<String, String> postgres = TestDatabase.POSTGRESQL.create();
    land();
    Path home = place.resolve("spark");
    Files.createDirectories(home.resolve("jars"));
    List<String> flags =
        List.of(
            "-Dspark.master=local-cluster[2,1,1024]",
            "-Dspark.locality.wait=0",
            "-Dspark.executor.extraJavaOptions=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "-Dspark.executor.extraClassPath=" + System.getProperty("java.class.path"));

    try (ChildJvm child =
        start(
            Map.of(
                "SPARK_HOME", home.toString(),
                "SPARK_SCALA_VERSION", "2.12",
                "SPARK_LOCAL_IP", "127.0.0.1"),
            flags,
            KillPoint.NEVER,
            postgres,
            "postgresql")) {
      child.awaitLine("done");
      assertThat(child.awaitExitCode()).isZero();
    }

    try (Stream<Path> files = Files.walk(home.resolve("work"))) {
      assertThat(files.filter(file -> file.endsWith("stderr"))).hasSize(2);
    }
    assertTotals(spark, postgres);
  }

  private void assertTotals(SparkSession spark, Map<String, String> options) {
    Dataset<Row> events = FileSource.readTable(spark, place.resolve("input").toString());
    List<Row> expected = WindowedAggregation.buildQuery(events).collectAsList();
    assertThat(expected).hasSizeGreaterThan(FILES);
    assertThat(JdbcSink.read(spark, options, "totals").collectAsList())
        .containsExactlyInAnyOrderElementsOf(expected);
  }

  /** Each file adds to the windows of the one before. */
  private void land() {
    DirectoryFeed input = new DirectoryFeed(place.resolve("input"));
    Instant start = Instant.parse("2026-01-01T00:00:00Z");
    for (int file = 0; file < FILES; file++) {
      StringBuilder lines = new StringBuilder();
      for (int i = 0; i < 8; i++) {
        lines.append(
            "{\"event_time\":\"%s\",\"region\":\"%s\",\"amount\":%s}\n"
                .formatted(
                    start.plusSeconds(file * 240L + i * 60L),
                    i % 2 == 0 ? "eu" : "us",
                    file + 0.5));
      }
      input.land("%02d.json".formatted(file), lines.toString());
    }
  }

  private ChildJvm start(KillPoint kill, Map<String, String> postgres) throws Exception {
    return start(Map.of(), List.of(), kill, postgres, "h2", "postgresql");
  }

  private ChildJvm start(
      Map<String, String> environment,
      List<String> moreFlags,
      KillPoint kill,
      Map<String, String> postgres,
      String... databases)
      throws Exception {
    List<String> flags = new ArrayList<>(ChildJvm.QUICK);
    flags.add(ChildJvm.LOGGING_OF_A_MAIN);
    flags.addAll(moreFlags);
    List<String> args =
        new ArrayList<>(
            List.of(
                place.toString(), Integer.toString(kill.nth()), kill.event(), postgres.get("url")));
    args.addAll(List.of(databases));
    return ChildJvm.startIn(
        environment, flags, place, KilledUpserts.class, args.toArray(String[]::new));
  }
}
