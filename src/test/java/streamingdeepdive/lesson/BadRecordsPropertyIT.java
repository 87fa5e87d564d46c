package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.from_json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterProperty;
import net.jqwik.api.lifecycle.BeforeProperty;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.types.StructType;
import streamingdeepdive.app.RowCollector;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.TestSession;

/** Of whatever lines, each comes out once: as a sale that Spark reads alike, or with its text. */
class BadRecordsPropertyIT {
  private static final String SALE =
      "{\"event_time\":\"2026-01-01T12:01:00Z\",\"region\":\"eu\",\"amount\":1.0}";
  private static final StructType SCHEMA = StructType.fromDDL(FileSource.SCHEMA);

  private final RowCollector judged = new RowCollector();
  private TestSession session;
  private FileStream files;
  private StreamingQuery query;

  /** One query takes all tries, a file each. */
  @BeforeProperty
  void start() throws TimeoutException {
    session = TestSession.open();
    files = new FileStream(session, FileSource.SCHEMA);
    query =
        BadRecords.read(session.spark(), files.directory())
            .writeStream()
            .foreachBatch(judged::collect)
            .start();
  }

  @AfterProperty
  void stop() {
    session.close();
  }

  /** Any text but line ends, halves of surrogate pairs and the byte-order mark. */
  private static Arbitrary<String> garbage() {
    return Arbitraries.strings()
        .withCharRange('\u0000', '\uD7FF')
        .excludeChars('\n', '\r')
        .ofMaxLength(20);
  }

  /** A sale in which some characters are replaced; by nothing at all, it stays one. */
  private static Arbitrary<String> damaged() {
    Arbitrary<String> patch =
        Arbitraries.oneOf(
            garbage(),
            Arbitraries.strings().withChars("0123456789-+:.,\"{}[]nullNaN ").ofMaxLength(3));
    return Combinators.combine(
            Arbitraries.integers().between(0, SALE.length()),
            Arbitraries.integers().between(0, 3),
            patch)
        .as(
            (at, cut, with) ->
                SALE.substring(0, at) + with + SALE.substring(Math.min(at + cut, SALE.length())));
  }

  @Provide
  Arbitrary<List<String>> lines() {
    return Arbitraries.oneOf(garbage(), damaged(), Arbitraries.just(SALE))
        .list()
        .ofMinSize(1)
        .ofMaxSize(500);
  }

  @Property(tries = 12)
  void acceptedAndRejectedAreAllLines(@ForAll("lines") List<String> lines) {
    files.addLines(lines.toArray(String[]::new));
    assertTimeoutPreemptively(Duration.ofSeconds(60), query::processAllAvailable);
    List<Row> rows =
        judged.take(Long.MAX_VALUE - 1).values().stream().flatMap(List::stream).toList();

    assertThat(rows).extracting(row -> row.getString(3)).containsExactlyInAnyOrderElementsOf(lines);
    assertThat(rows)
        .allSatisfy(
            row -> {
              boolean accepted = row.isNullAt(5);
              assertThat(List.of(!row.isNullAt(0), !row.isNullAt(1), !row.isNullAt(2)))
                  .containsOnly(accepted);
            });
    assertThat(sales(rows)).isEqualTo(asSparkReadsThem(rows));
  }

  private static List<List<Object>> sales(List<Row> rows) {
    return rows.stream()
        .filter(row -> row.isNullAt(5))
        .map(row -> List.of(row.get(0), row.get(1), row.get(2)))
        .toList();
  }

  private List<List<Object>> asSparkReadsThem(List<Row> rows) {
    List<Row> accepted = rows.stream().filter(row -> row.isNullAt(5)).toList();
    if (accepted.isEmpty()) {
      return List.of();
    }
    Dataset<Row> sales =
        session
            .spark()
            .createDataFrame(accepted, accepted.get(0).schema())
            .select(from_json(col("raw"), SCHEMA, Map.of()).as("sale"))
            .select("sale.*");
    return sales.collectAsList().stream()
        .map(row -> List.of(row.get(0), row.get(1), row.get(2)))
        .toList();
  }
}
