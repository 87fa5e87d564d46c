package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.max;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.FlatMapGroupsWithStateFunction;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.api.java.function.MapGroupsWithStateFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoder;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.KeyValueGroupedDataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.streaming.GroupState;
import org.apache.spark.sql.streaming.GroupStateTimeout;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.types.StructType;
import streamingdeepdive.app.LessonRun;

/**
 * State of one's own, kept by a function that is called with the rows of a group. Which region sold
 * nothing for half an hour, and how much since its last alert?
 *
 * <p>{@code flatMapGroupsWithState} gives the function the state of the region. When the watermark
 * is later than the timeout that it set, it is called without rows. The file is of 13:20, and half
 * an hour without a sale is over in all regions but {@code br}:
 *
 * <pre>{@code
 * == 07-an-hour-later.json
 * {"event_time":"2026-01-01T13:20:00Z","region":"br","amount":6.0}
 * +------+-----+-------------------+-------------------+------------+
 * |region|alert|first_sale         |last_sale          |total_amount|
 * +------+-----+-------------------+-------------------+------------+
 * |ap    |1    |2026-01-01 12:05:00|2026-01-01 12:05:00|4.0         |
 * |eu    |1    |2026-01-01 12:01:00|2026-01-01 12:14:00|17.0        |
 * |us    |1    |2026-01-01 12:02:00|2026-01-01 12:15:00|35.0        |
 * +------+-----+-------------------+-------------------+------------+
 * watermark 2026-01-01 13:10:00, state rows 4 (4 updated), rows dropped as late 0
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/ArbitraryState.txt">ArbitraryState.txt</a>. An alert
 * for {@code br} never comes, as no later sale moves the watermark on. The 100.0 and the 1000.0 of
 * {@code eu} are missing: with an event-time timeout Spark drops each row that the watermark has
 * reached before the function sees it. Without a timeout it drops none.
 *
 * <p>Often a built-in operator is enough. {@link SessionWindows} needs no function and counts the
 * 100.0 and the 1000.0 too, but does not number the alerts; {@link #buildTotals} is an aggregation.
 * A state of the last time and the total is not enough: rows come in no order.
 *
 * <p>The state is a bean, {@link RegionState}. A record fails at its first row; {@code
 * Encoders.kryo} and {@code javaSerialization} keep bytes, of which Spark can compare nothing. A
 * field added, removed or of another type ends the query. Another name does not: fields are in the
 * order of the alphabet and only types are compared, so that a new name can swap two of them. The
 * {@link streamingdeepdive.recovery.QuerySignature} sees that, but not another quiet period.
 *
 * <p>Not handled: the state of a region is never removed, because it holds the number of its
 * alerts. A sale without event time is not counted, a null amount is 0, and a null region is a
 * region. Times are cut to milliseconds.
 *
 * <p>Before: {@link ChainedOperators}. Next: {@link StateStores}. Trap: {@link
 * streamingdeepdive.trap.ChangedQuery}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#arbitrary-stateful-operations">
 *     Guide: Arbitrary Stateful Operations</a>
 */
public final class ArbitraryState {
  /** How far the watermark stays behind the newest event time. */
  public static final String DELAY_THRESHOLD = "10 minutes";

  /** A region is reported when it has sold nothing for longer than this. */
  public static final Duration QUIET_PERIOD = Duration.ofMinutes(30);

  /** The columns of the alerts, as DDL. */
  public static final String SCHEMA =
      "region STRING, alert INT, first_sale TIMESTAMP, last_sale TIMESTAMP, total_amount DOUBLE";

  private ArbitraryState() {}

  /**
   * Reports each region that sold nothing for 30 minutes, with a delay threshold of {@value
   * #DELAY_THRESHOLD}.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch
   * @return {@link #SCHEMA}: {@code alert} counts the region's alerts from 1, the total is that of
   *     the sales since the one before
   */
  public static Dataset<Row> buildQuery(Dataset<Row> events) {
    return buildQuery(events, DELAY_THRESHOLD, QUIET_PERIOD);
  }

  /**
   * Reports each region that sold nothing for a while. On a batch Dataset the delay threshold has
   * no effect, and all that was sold is reported.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch
   * @param delayThreshold an interval such as {@code "10 minutes"}: how far the watermark stays
   *     behind the newest event time
   * @param quietPeriod how long a region sells nothing; whole milliseconds
   * @return {@link #SCHEMA}, as above
   */
  public static Dataset<Row> buildQuery(
      Dataset<Row> events, String delayThreshold, Duration quietPeriod) {
    return withTimes(
        perRegion(events, delayThreshold)
            .flatMapGroupsWithState(
                alerts(quietPeriod, events.isStreaming()),
                OutputMode.Append(),
                Encoders.bean(RegionState.class),
                alertEncoder(),
                GroupStateTimeout.EventTimeTimeout()));
  }

  /**
   * The same with an initial state: the numbers go on from earlier alerts. Spark reads these in the
   * first micro-batch of a checkpoint only.
   *
   * @param events {@link FileSource#SCHEMA}, streaming or batch
   * @param earlier {@code region} STRING, {@code alert} INT and any others, batch, as they were
   *     written: on the result of a batch {@link #buildQuery} itself Spark fails
   * @return {@link #SCHEMA}, as above
   */
  public static Dataset<Row> buildQueryAfter(Dataset<Row> events, Dataset<Row> earlier) {
    MapFunction<Row, RegionState> state =
        row -> {
          RegionState region = new RegionState();
          region.setAlerts(row.getAs("alerts"));
          return region;
        };
    KeyValueGroupedDataset<String, RegionState> initialState =
        byRegion(earlier.groupBy("region").agg(max("alert").as("alerts")))
            .mapValues(state, Encoders.bean(RegionState.class));
    return withTimes(
        perRegion(events, DELAY_THRESHOLD)
            .flatMapGroupsWithState(
                alerts(QUIET_PERIOD, events.isStreaming()),
                OutputMode.Append(),
                Encoders.bean(RegionState.class),
                alertEncoder(),
                GroupStateTimeout.EventTimeTimeout(),
                initialState));
  }

  /**
   * Adds up amounts per region. {@code mapGroupsWithState} gives one row for each region of the
   * micro-batch, in update mode only.
   *
   * @param events {@code region} STRING, {@code amount} DOUBLE and any others, streaming or batch
   * @return {@code region} STRING, {@code total_amount} DOUBLE
   */
  public static Dataset<Row> buildTotals(Dataset<Row> events) {
    MapGroupsWithStateFunction<String, Row, Double, Row> add =
        (region, sales, state) -> {
          double total = state.exists() ? state.get() : 0;
          while (sales.hasNext()) {
            total += amount(sales.next());
          }
          state.update(total);
          return RowFactory.create(region, total);
        };
    return byRegion(events)
        .mapGroupsWithState(add, Encoders.DOUBLE(), rows("region STRING, total_amount DOUBLE"));
  }

  private static KeyValueGroupedDataset<String, Row> perRegion(
      Dataset<Row> events, String delayThreshold) {
    return byRegion(
        events
            .withWatermark("event_time", delayThreshold)
            .where("event_time is not null")
            .withColumn("millis", expr("unix_millis(event_time)")));
  }

  private static KeyValueGroupedDataset<String, Row> byRegion(Dataset<Row> rows) {
    MapFunction<Row, String> region = row -> row.getAs("region");
    return rows.groupByKey(region, Encoders.STRING());
  }

  private static FlatMapGroupsWithStateFunction<String, Row, RegionState, Row> alerts(
      Duration quietPeriod, boolean streaming) {
    long quiet = quietPeriod.toMillis();
    return (region, sales, state) ->
        // A batch query has no watermark, and all rows at once.
        alerts(
            region,
            sales,
            state,
            quiet,
            streaming ? state.getCurrentWatermarkMs() : Long.MAX_VALUE);
  }

  /** Is called with the rows of a region, or without any when its timeout has come. */
  private static Iterator<Row> alerts(
      String region,
      Iterator<Row> sales,
      GroupState<RegionState> state,
      long quiet,
      long watermark) {
    RegionState now = state.exists() ? state.get() : new RegionState();
    sales.forEachRemaining(sale -> now.add(sale.getAs("millis"), amount(sale), quiet));
    List<Row> alerts = new ArrayList<>();
    List<RegionState.Run> open = new ArrayList<>();
    for (RegionState.Run run : now.getRuns()) {
      if (run.getLast() + quiet < watermark) {
        now.setAlerts(now.getAlerts() + 1);
        alerts.add(
            RowFactory.create(
                region, now.getAlerts(), run.getFirst(), run.getLast(), run.getTotal()));
      } else {
        open.add(run);
      }
    }
    now.setRuns(open);
    state.update(now);
    if (!open.isEmpty()) { // An update forgets the timeout of before.
      state.setTimeoutTimestamp(open.get(0).getLast() + quiet);
    }
    return alerts.iterator();
  }

  private static double amount(Row sale) {
    Double amount = sale.getAs("amount");
    return amount == null ? 0 : amount;
  }

  private static Encoder<Row> alertEncoder() {
    return rows("region STRING, alert INT, first BIGINT, last BIGINT, total_amount DOUBLE");
  }

  private static Encoder<Row> rows(String schema) {
    return Encoders.row(StructType.fromDDL(schema));
  }

  private static Dataset<Row> withTimes(Dataset<Row> alerts) {
    return alerts.selectExpr(
        "region",
        "alert",
        "timestamp_millis(first) as first_sale",
        "timestamp_millis(last) as last_sale",
        "total_amount");
  }

  /**
   * Prints the alerts, in append mode.
   *
   * @param args none for the sample data, or {@code --input} and {@code --checkpoint}
   * @throws Exception if the query cannot start or fails
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson =
        LessonRun.open(
            args, "Reports regions that sold nothing for half an hour.", "input", "checkpoint")) {
      Dataset<Row> sales = FileSource.read(lesson.spark(), lesson.input("sales"));
      StreamingQuery query =
          buildQuery(sales)
              .writeStream()
              .outputMode(OutputMode.Append())
              .foreachBatch(lesson::print)
              .option("checkpointLocation", lesson.checkpoint("alerts"))
              .start();
      lesson.replay(query);
    }
  }
}
