package streamingdeepdive.lesson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterProperty;
import net.jqwik.api.lifecycle.BeforeProperty;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.types.StructType;
import streamingdeepdive.app.RowCollector;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.Rows;
import streamingdeepdive.testkit.TestSession;

/**
 * However sales are shuffled within the delay threshold and cut into micro-batches, the last total
 * of each window and region is that of the batch query.
 */
class StreamEqualsBatchIT {
  private static final StructType SCHEMA = StructType.fromDDL(FileSource.SCHEMA);
  private static final int DELAY_SECONDS = 600;

  /** Quarters add up exactly in any order, which not all doubles do. */
  record Arrival(int second, int delay, boolean startsMicroBatch, String region, int quarters) {
    int arrival() {
      return second + delay;
    }

    Row sale(LocalDateTime origin) {
      return Sales.sale(origin.plusSeconds(second).toString(), region, quarters * 0.25);
    }
  }

  private TestSession session;
  private InMemoryStream sales;
  private StreamingQuery query;
  private final RowCollector totals = new RowCollector();
  private LocalDateTime origin = Rows.DAY.atTime(LocalTime.NOON);

  /** One query takes all tries, each a day later: to start one for each would take most time. */
  @BeforeProperty
  void start() throws TimeoutException {
    session = TestSession.open();
    session.spark().conf().set("spark.sql.streaming.noDataMicroBatches.enabled", "false");
    sales = new InMemoryStream(session, FileSource.SCHEMA);
    query =
        WindowedAggregation.buildQuery(sales.toDF())
            .writeStream()
            .outputMode(OutputMode.Update())
            .foreachBatch(totals::collect)
            .start();
  }

  @AfterProperty
  void stop() {
    session.close();
  }

  @Provide
  Arbitrary<List<Arrival>> arrivals() {
    return Combinators.combine(
            Arbitraries.integers().between(0, 3600),
            Arbitraries.integers().between(0, DELAY_SECONDS),
            Arbitraries.frequency(Tuple.of(1, true), Tuple.of(4, false)),
            Arbitraries.of("eu", "us"),
            Arbitraries.integers().between(-40, 400))
        .as(Arrival::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(10);
  }

  @Property(tries = 25)
  void theStreamEndsInTheRowsOfTheBatchQuery(@ForAll("arrivals") List<Arrival> arrivals) {
    origin = origin.plusDays(1);
    List<List<Row>> microBatches = microBatches(arrivals);
    List<Row> table = microBatches.stream().flatMap(List::stream).toList();

    for (List<Row> microBatch : microBatches) {
      sales.addData(microBatch);
      assertTimeoutPreemptively(Duration.ofSeconds(60), query::processAllAvailable);
    }

    List<Row> updates =
        totals.take(Long.MAX_VALUE - 1).values().stream().flatMap(List::stream).toList();
    List<Row> expected =
        WindowedAggregation.buildQuery(session.spark().createDataFrame(table, SCHEMA))
            .collectAsList();
    assertThat(lastTotals(updates)).isEqualTo(lastTotals(expected));
  }

  private List<List<Row>> microBatches(List<Arrival> arrivals) {
    List<List<Row>> microBatches = new ArrayList<>();
    for (Arrival next :
        arrivals.stream().sorted(Comparator.comparingInt(Arrival::arrival)).toList()) {
      if (microBatches.isEmpty() || next.startsMicroBatch()) {
        microBatches.add(new ArrayList<>());
      }
      microBatches.get(microBatches.size() - 1).add(next.sale(origin));
    }
    return microBatches;
  }

  private static Map<List<Object>, Object> lastTotals(List<Row> totals) {
    Map<List<Object>, Object> last = new HashMap<>();
    totals.forEach(total -> last.put(List.of(total.get(0), total.get(1)), total.get(2)));
    return last;
  }
}
