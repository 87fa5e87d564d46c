package streamingdeepdive.lesson;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import streamingdeepdive.app.ChildJvm;
import streamingdeepdive.app.DirectoryFeed;
import streamingdeepdive.testkit.StreamingExtension;

/** The main on data of the user's own, seen from outside its process. */
@ExtendWith(StreamingExtension.class)
class JdbcSinkMainIT {
  @TempDir Path place;

  private ChildJvm start(String url) throws Exception {
    return ChildJvm.startIn(
        Map.of("JDBC_PASSWORD", "sesame"),
        ChildJvm.QUICK,
        place,
        JdbcSink.class,
        "--input=" + place.resolve("input"),
        "--checkpoint=" + place.resolve("checkpoint"),
        "--url=" + url,
        "--user=ann",
        "--table=sums");
  }

  /** Stopped and started again, as a user does; H2 gives the table to nobody else. */
  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "Windows has no SIGTERM")
  void followsADirectoryIntoTheUsersDatabase(SparkSession spark) throws Exception {
    DirectoryFeed input = new DirectoryFeed(place.resolve("input"));
    String url = "jdbc:h2:file:" + place.resolve("database");
    for (int i = 1; i <= 2; i++) {
      input.land(
          i + ".json",
          "{\"event_time\":\"2026-01-01T12:01:00Z\",\"region\":\"eu\",\"amount\":%d.0}\n"
              .formatted(i));
      try (ChildJvm main = start(url)) {
        main.awaitLine("rows read 1");
        main.awaitLine("watermark");
        main.terminate();
        main.awaitOut();
        assertThat(main.awaitExitCode()).isEqualTo(128 + 15);
        assertThat(main.err()).isEmpty();
      }
    }

    Map<String, String> options = Map.of("url", url, "user", "ann", "password", "sesame");
    assertThat(JdbcSink.read(spark, options, "sums").collectAsList())
        .extracting(row -> row.getDouble(2))
        .containsExactly(3.0);
  }

  @Test
  void aDatabaseThatCannotBeUsedIsOneSentenceAndExitCodeOne() throws Exception {
    new DirectoryFeed(place.resolve("input"));
    try (ChildJvm main = start("jdbc:nodb:x")) {
      main.awaitOut();

      assertThat(main.awaitExitCode()).isEqualTo(1);
      assertThat(main.err())
          .isEqualToIgnoringNewLines(
              "There is no JDBC driver for jdbc:nodb:x; add its jar to the class path, and if that"
                  + " is not enough, give its class as the option driver.");
    }
  }
}
