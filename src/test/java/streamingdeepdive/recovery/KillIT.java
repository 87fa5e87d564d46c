package streamingdeepdive.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import streamingdeepdive.app.ChildJvm;
import streamingdeepdive.app.DirectoryFeed;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.KafkaSource;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.KafkaStream;
import streamingdeepdive.testkit.StreamingExtension;

/**
 * Queries whose process is killed again and again, each time at another change of a file, write the
 * rows of the batch query over the same files: none is lost, none is doubled.
 *
 * <p>The system properties {@code kills} and {@code seed} make the run longer, and repeat it.
 */
@ExtendWith(StreamingExtension.class)
class KillIT {
  private static final List<String> REGIONS = List.of("eu", "us", "ap");
  private static final int KILLS = Math.max(11, Integer.getInteger("kills", 11));
  private static final long SEED = Long.getLong("seed", ThreadLocalRandom.current().nextInt());

  /** So many, and so few at a time, that the input outlasts the kills. */
  private static final int FILES = Math.max(300, 2 * KILLS);

  private static final int FILES_PER_MICRO_BATCH = Math.max(1, FILES / (KILLS + 5));

  /** A kill comes at most so many changes of its query after the start. */
  private static final int CHANGES = 60;

  /** Inside the write of the sink, and between that and the commit, twice in one micro-batch. */
  private static final List<KillPoint> NARROW =
      List.of(
          new KillPoint(2, "WRITE .*/output/FINAL_TOTALS/part-"),
          new KillPoint(1, "WRITE .*/output/FINAL_TOTALS/part-"),
          new KillPoint(1, "RENAME .*/checkpoint/FINAL_TOTALS/commits/"),
          new KillPoint(1, "RENAME .*/checkpoint/FINAL_TOTALS/commits/"),
          new KillPoint(1, "RENAME .*/checkpoint/ALERTS/commits/"),
          new KillPoint(1, "WRITE .*/output/REVISIONS/.*/part-"),
          new KillPoint(1, "CREATE .*/output/REVISIONS/.*/_SUCCESS"),
          new KillPoint(1, "RENAME .*/checkpoint/REVISIONS/commits/"),
          new KillPoint(1, "DELETE .*/output/REVISIONS/batch=\\d+/part-"));

  /** It closes all windows of before. */
  private static final String CLOSING = event(Instant.parse("2026-01-02T00:00:00Z"), "none", 0);

  /** In the long run all queries run side by side. */
  private static final List<RecoveredQuery> QUERIES =
      KILLS > NARROW.size() * 2
          ? RecoveredQuery.ON_PARQUET
          : List.of(RecoveredQuery.FINAL_TOTALS, RecoveredQuery.REVISIONS, RecoveredQuery.ALERTS);

  private final List<ChildJvm> children = new ArrayList<>();

  @TempDir Path place;

  @BeforeAll
  static void printSeed() {
    System.out.printf("%d kills, to be had again with -Dkills=%d -Dseed=%d%n", KILLS, KILLS, SEED);
  }

  @Test
  void killedAtAnyMomentNoRowIsLostAndNoneIsDoubled(SparkSession spark) throws Exception {
    Random random = new Random(SEED);
    DirectoryFeed input = new DirectoryFeed(place.resolve("input"));
    List<String> files = randomEvents(random);
    for (int i = 0; i < files.size(); i++) {
      input.land("%03d.json".formatted(i), files.get(i));
    }
    List<KillPoint> kills = new ArrayList<>();
    for (int kill = 0; kill < KILLS - NARROW.size(); kill++) {
      // Each query in turn, or the slowest one would always be killed in its first micro-batch;
      // ALERTS first, since NARROW has it once only.
      RecoveredQuery query = QUERIES.get((kill + 2) % QUERIES.size());
      kills.add(new KillPoint(1 + random.nextInt(CHANGES), "/%s/".formatted(query)));
    }
    // Last, since the first micro-batches have no final totals.
    kills.addAll(NARROW);
    killAndRunToTheEnd(
        Integer.toString(FILES_PER_MICRO_BATCH),
        kills,
        Integer.toString(FILES / 5),
        () -> input.land("closing.json", CLOSING));

    assertRowsOf(FileSource.readTable(spark, place.resolve("input").toString()));
  }

  @Test
  void killedOnATopicNoRowIsLostAndNoneIsDoubled(
      @Columns(FileSource.SCHEMA) KafkaStream sales, SparkSession spark) throws Exception {
    String servers = sales.topic().bootstrapServers();
    String topic = sales.topic().name();
    sales.addValues(
        randomEvents(new Random(SEED)).stream().flatMap(String::lines).toArray(String[]::new));
    killAndRunToTheEnd(
        String.join("/", servers, topic, "100"),
        List.of(
            new KillPoint(2, "WRITE .*/output/REVISIONS/.*/part-"),
            new KillPoint(2, "RENAME .*/checkpoint/FINAL_TOTALS/commits/"),
            new KillPoint(1, "WRITE .*/output/FINAL_TOTALS/part-")),
        String.join("/", servers, topic, "1000"),
        () -> sales.addValues(CLOSING.strip()));

    assertRowsOf(KafkaSource.events(KafkaSource.readTable(spark, servers, topic, Map.of())));
  }

  private void assertRowsOf(Dataset<Row> events) {
    SparkSession spark = events.sparkSession();
    for (RecoveredQuery query : QUERIES) {
      String output = HookedFileSystem.in(spark, place.resolve("output").resolve(query.name()));
      assertThat(sortedRows(query.read(spark, output)))
          .as(query.name())
          .isNotEmpty()
          .isEqualTo(sortedRows(query.rows(events)));
    }
  }

  /**
   * A sale each five seconds, reported up to eight minutes late; one in ten is reported once more
   * in the next file.
   */
  private static List<String> randomEvents(Random random) {
    Instant start = Instant.parse("2026-01-01T00:00:00Z");
    List<String> files = new ArrayList<>();
    StringBuilder again = new StringBuilder();
    for (int file = 0; file < FILES; file++) {
      StringBuilder lines = again;
      again = new StringBuilder();
      for (int i = 0; i < 6; i++) {
        Instant time = start.plusSeconds(file * 30L + i * 5L - random.nextInt(480));
        String line = event(time, REGIONS.get(random.nextInt(3)), random.nextInt(400));
        lines.append(line);
        again.append(random.nextInt(10) == 0 ? line : "");
      }
      files.add(lines.toString());
    }
    return files;
  }

  /** Quarters add up exactly in any order. */
  private static String event(Instant time, String region, int quarters) {
    return "{\"event_time\":\"%s\",\"region\":\"%s\",\"amount\":%s}\n"
        .formatted(time, region, quarters * 0.25);
  }

  /**
   * Each child opens its session while the one before it works, and waits until that is dead. The
   * last one takes in more at a time.
   */
  private void killAndRunToTheEnd(
      String input, List<KillPoint> kills, String lastInput, Runnable closing) throws Exception {
    ChildJvm child = start(input, kills.get(0));
    for (int kill = 1; kill <= kills.size(); kill++) {
      child.send("go");
      ChildJvm next =
          kill < kills.size() ? start(input, kills.get(kill)) : start(lastInput, KillPoint.NEVER);
      child.awaitLine("waiting before ");
      child.kill();
      child = next;
    }
    closing.run();
    child.send("go");
    child.awaitLine("done");
    assertThat(child.awaitExitCode()).isZero();
  }

  @AfterEach
  void endChildren() {
    children.forEach(ChildJvm::close);
  }

  private ChildJvm start(String input, KillPoint point) throws Exception {
    List<String> flags = new ArrayList<>(ChildJvm.QUICK);
    flags.add(ChildJvm.LOGGING_OF_A_MAIN);
    List<String> args =
        new ArrayList<>(
            List.of(place.toString(), input, Integer.toString(point.nth()), point.event()));
    QUERIES.forEach(query -> args.add(query.name()));
    ChildJvm child =
        ChildJvm.start(
            flags,
            place.resolve("child-" + children.size()),
            KilledQueries.class,
            args.toArray(String[]::new));
    children.add(child);
    return child;
  }

  /** Of all windows and events but the closing ones. */
  private static List<String> sortedRows(Dataset<Row> rows) {
    return rows.where("region <> 'none'").collectAsList().stream()
        .map(Row::toString)
        .sorted()
        .toList();
  }
}
