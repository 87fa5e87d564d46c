package streamingdeepdive.lesson;

import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.stop;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import scala.Option;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.StreamingExtension;

/** In a Spark context of its own: what the lesson says of settings that a context starts with. */
@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class MonitoringIT {
  private static final String QUEUE = "spark.scheduler.listenerbus.eventqueue.capacity";

  @BeforeAll
  static void setUp() {
    Monitoring.SETTINGS.forEach(System::setProperty);
    System.setProperty(QUEUE, "10");
    stopContext();
  }

  @AfterAll
  static void tearDown() {
    Monitoring.SETTINGS.keySet().forEach(System::clearProperty);
    System.clearProperty(QUEUE);
    stopContext();
  }

  /** The next test opens a new one. */
  private static void stopContext() {
    Option<SparkSession> running = SparkSession.getDefaultSession();
    if (running.isDefined()) {
      running.get().stop();
    }
  }

  private static Map<String, String> gauges(SparkSession spark) {
    Map<String, String> gauges = new TreeMap<>();
    Monitoring.readGauges(spark, "totals")
        .collectAsList()
        .forEach(row -> gauges.put(row.getString(0), row.getString(1)));
    return gauges;
  }

  @Test
  void theGaugesOfAQueryAreThereAsLongAsItRuns(SparkSession spark, InMemoryStream sales) {
    testStream(
        Watermark.buildQuery(sales.toDF())
            .writeStream()
            .queryName("totals")
            .outputMode(OutputMode.Update())
            .format("noop"),
        add(sales, sale("12:14", "eu", 1.0)).watermark("12:04").state(1),
        check(
            () ->
                assertThat(gauges(spark))
                    .containsOnlyKeys(
                        "eventTime-watermark",
                        "inputRate-total",
                        "latency",
                        "processingRate-total",
                        "states-rowsTotal",
                        "states-usedBytes")
                    .containsEntry("eventTime-watermark", "1767269040000") // 12:04
                    .containsEntry("states-rowsTotal", "1")),
        stop(),
        check(() -> assertThat(gauges(spark)).isEmpty()));
  }

  /** The query runs on; the listener misses what does not fit into the queue. */
  @Test
  void aListenerThatIsSlowLosesMicroBatches(SparkSession spark, InMemoryStream sales)
      throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    List<String> lines = new CopyOnWriteArrayList<>();
    spark
        .streams()
        .addListener(
            new QueryMonitor(
                List.of(QueryMonitor.ROWS),
                line -> {
                  await(released);
                  lines.add(line);
                },
                lines::add));
    StreamingQuery query = sales.toDF().writeStream().format("noop").start();
    int microBatches = 20;
    for (int i = 0; i < microBatches; i++) {
      sales.addData(List.of(sale("12:00", "eu", 1.0)));
      query.processAllAvailable();
    }
    released.countDown();
    spark.sparkContext().listenerBus().waitUntilEmpty(60_000);

    assertThat(query.lastProgress().batchId()).isEqualTo(microBatches - 1);
    assertThat(lines).hasSizeBetween(1, microBatches - 1);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
