package importer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import streamingdeepdive.lesson.ParquetSink;

class FinalTotalsTest extends OwnSession {
  @TempDir Path place;

  private String input;
  private String output;
  private String checkpoint;
  private int files;

  @BeforeEach
  void firstRun() throws Exception {
    input = Files.createDirectory(place.resolve("sales")).toUri().toString();
    output = place.resolve("totals").toUri().toString();
    checkpoint = place.resolve("checkpoint").toUri().toString();
    land("2026-01-01T12:01:00Z", "10.0");
    FinalTotals.run(spark, input, output, checkpoint);
  }

  @Test
  void aRestartGoesOnFromTheCheckpoint() throws Exception {
    assertEquals(List.of(), totals());

    land("2026-01-01T12:02:00Z", "5.0");
    land("2026-01-01T12:15:00Z", "1.0");
    FinalTotals.run(spark, input, output, checkpoint);

    assertEquals(List.of(15.0), totals());
  }

  @Test
  void aForeignCheckpointIsRefused() {
    String foreign = place.resolve("foreign").toUri().toString();

    Exception refused =
        assertThrows(
            IllegalStateException.class, () -> FinalTotals.run(spark, input, output, foreign));

    assertTrue(
        refused.getMessage().endsWith("or give the query a new output."), refused.getMessage());
  }

  @Test
  void nothingAroundItChanges() throws Exception {
    Surroundings before = Surroundings.of(spark);

    land("2026-01-01T12:15:00Z", "1.0");
    FinalTotals.run(spark, input, output, checkpoint);
    totals();

    assertEquals(before, Surroundings.of(spark));
  }

  private List<Double> totals() {
    return ParquetSink.read(spark, output).collectAsList().stream()
        .map(row -> row.<Double>getAs("total_amount"))
        .toList();
  }

  private void land(String time, String amount) throws IOException {
    Path file = Path.of(URI.create(input)).resolve(files++ + ".json");
    Files.writeString(
        file,
        """
        {"event_time":"%s","region":"eu","amount":%s}
        """
            .formatted(time, amount));
    Files.setLastModifiedTime(file, FileTime.fromMillis(1_000L * files));
  }
}
