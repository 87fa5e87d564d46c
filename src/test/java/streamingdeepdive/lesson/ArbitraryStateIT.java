package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.session_window;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.apache.spark.sql.streaming.OutputMode.Complete;
import static org.apache.spark.sql.streaming.OutputMode.Update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static streamingdeepdive.lesson.ArbitraryStateTest.alert;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.Rows.values;
import static streamingdeepdive.testkit.Rows.window;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.addAllAtOnce;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.stop;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.api.java.function.FlatMapGroupsWithStateFunction;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoder;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.GroupStateTimeout;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.recovery.QuerySignature;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.Step;
import streamingdeepdive.testkit.StreamInput;
import streamingdeepdive.testkit.StreamingExtension;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class ArbitraryStateIT {
  private static final String SCHEMA_DIFFERS =
      "Provided schema doesn't match to the schema for existing state";

  /** A query with a function of the test. */
  private static <S> Dataset<Row> query(
      Dataset<Row> events,
      FlatMapGroupsWithStateFunction<String, Row, S, String> function,
      OutputMode mode,
      Encoder<S> encoder,
      GroupStateTimeout timeout) {
    MapFunction<Row, String> region = row -> row.getAs("region");
    return events
        .withWatermark("event_time", "10 minutes")
        .groupByKey(region, Encoders.STRING())
        .flatMapGroupsWithState(function, mode, encoder, Encoders.STRING(), timeout)
        .toDF();
  }

  private static Iterator<String> strings(String... strings) {
    return List.of(strings).iterator();
  }

  @Test
  void onlyWithAnEventTimeTimeoutLateRowsAreDropped(
      InMemoryStream a,
      @Columns(FileSource.SCHEMA) InMemoryStream b,
      @Columns(FileSource.SCHEMA) InMemoryStream c,
      @Columns(FileSource.SCHEMA) InMemoryStream d) {
    assertLateRows(a, Append(), GroupStateTimeout.EventTimeTimeout(), 1);
    assertLateRows(b, Update(), GroupStateTimeout.EventTimeTimeout(), 1);
    assertLateRows(c, Append(), GroupStateTimeout.NoTimeout(), 0);
    assertLateRows(d, Update(), GroupStateTimeout.NoTimeout(), 0);
  }

  private static void assertLateRows(
      StreamInput sales, OutputMode mode, GroupStateTimeout timeout, int dropped) {
    FlatMapGroupsWithStateFunction<String, Row, Integer, String> seen =
        (region, rows, state) -> strings(region);
    testStream(
        query(sales.toDF(), seen, mode, Encoders.INT(), timeout),
        mode,
        add(sales, sale("12:10", "eu", 1.0)).rows(values("eu")).watermark("12:00"),
        add(sales, sale("12:00", "us", 1.0))
            .rows(dropped == 0 ? values("us") : new Row[0])
            .dropped(dropped));
  }

  @Test
  void aTimeoutAtTheWatermarkWaitsUntilItMovesAndAnEarlierOneThrows(InMemoryStream sales) {
    FlatMapGroupsWithStateFunction<String, Row, Long, String> setBack =
        (region, rows, state) -> {
          if (state.hasTimedOut()) {
            return strings("timed out");
          }
          long sum = 0;
          while (rows.hasNext()) {
            sum += (long) rows.next().getDouble(2);
          }
          state.update(sum);
          state.setTimeoutTimestamp(Math.max(1, state.getCurrentWatermarkMs() - sum));
          return strings();
        };
    testStream(
        query(
            sales.toDF(), setBack, Append(), Encoders.LONG(), GroupStateTimeout.EventTimeTimeout()),
        Append(),
        add(sales, sale("12:10", "eu", 0.0)).rows(values("timed out")).watermark("12:00"),
        add(sales, sale("12:10", "eu", 0.0)).rows(),
        add(sales, sale("12:11", "us", 0.0)).lastRows(values("timed out", "timed out")),
        add(sales, sale("12:11", "eu", 1.0))
            .expectFailure(Exception.class, "cannot be earlier than the current watermark"));
  }

  @Test
  void anEventTimeTimeoutNeedsAWatermark(InMemoryStream sales) {
    MapFunction<Row, String> region = row -> row.getAs("region");
    FlatMapGroupsWithStateFunction<String, Row, Integer, String> none =
        (key, rows, state) -> strings();
    testStream(
        sales
            .toDF()
            .groupByKey(region, Encoders.STRING())
            .flatMapGroupsWithState(
                none,
                Append(),
                Encoders.INT(),
                Encoders.STRING(),
                GroupStateTimeout.EventTimeTimeout()),
        Append(),
        start().expectFailure(AnalysisException.class, "Watermark must be specified"));
  }

  @Test
  void inABatchQueryNoTimeoutComesAndThereIsNoWatermark(SparkSession spark) {
    Dataset<Row> sales = FileSource.readTable(spark, "sample-data/sales").where("region = 'ap'");
    FlatMapGroupsWithStateFunction<String, Row, Integer, String> called =
        (region, rows, state) -> {
          state.setTimeoutTimestamp(1);
          return strings(region + " " + state.hasTimedOut());
        };
    FlatMapGroupsWithStateFunction<String, Row, Integer, String> watermark =
        (region, rows, state) -> strings(region + " " + state.getCurrentWatermarkMs());

    assertThat(
            query(sales, called, Append(), Encoders.INT(), GroupStateTimeout.EventTimeTimeout())
                .collectAsList())
        .containsExactly(row("ap false"));
    assertThatThrownBy(
            () ->
                query(
                        sales,
                        watermark,
                        Append(),
                        Encoders.INT(),
                        GroupStateTimeout.EventTimeTimeout())
                    .collectAsList())
        .hasMessageContaining("Cannot get event time watermark timestamp");
  }

  @Test
  void mapGroupsWithStateIsForUpdateModeOnly(InMemoryStream sales) {
    Dataset<Row> totals = ArbitraryState.buildTotals(sales.toDF());
    testStream(
        totals,
        Append(),
        start()
            .expectFailure(
                AnalysisException.class,
                "mapGroupsWithState is not supported with Append output mode"));
    testStream(
        totals,
        Complete(),
        start().expectFailure(AnalysisException.class, "Complete output mode not supported"));
  }

  @Test
  void theModeOfTheFunctionIsThatOfTheQueryAndNoAggregationFollows(InMemoryStream sales) {
    Dataset<Row> alerts = ArbitraryState.buildQuery(sales.toDF());
    testStream(
        alerts,
        Update(),
        start()
            .expectFailure(
                AnalysisException.class,
                "flatMapGroupsWithState in append mode is not supported with Update output mode"));
    testStream(
        alerts.groupBy("region").count(),
        Update(),
        start().expectFailure(AnalysisException.class, "possible 'correctness' issue"));
  }

  @Test
  void theNumbersGoOnFromAnInitialStateInTheFirstMicroBatchOnly(
      InMemoryStream sales, SparkSession spark) {
    Dataset<Row> earlier =
        spark.createDataFrame(
            List.of(
                alert("eu", 6, "10:00", "10:00", 1.0),
                alert("eu", 7, "11:00", "11:00", 1.0),
                alert("us", 7, "11:00", "11:00", 1.0)),
            StructType.fromDDL(ArbitraryState.SCHEMA));
    testStream(
        ArbitraryState.buildQueryAfter(sales.toDF(), earlier),
        Append(),
        add(sales, sale("12:00", "eu", 1.0), sale("12:00", "ap", 2.0)).rows().state(3),
        add(sales, sale("13:00", "us", 4.0))
            .rows(alert("eu", 8, "12:00", "12:00", 1.0), alert("ap", 1, "12:00", "12:00", 2.0)),
        restart(),
        add(sales, sale("14:00", "eu", 8.0)).rows(alert("us", 8, "13:00", "13:00", 4.0)),
        add(sales, sale("15:00", "us", 16.0)).rows(alert("eu", 9, "14:00", "14:00", 8.0)));
    assertThat(
            ArbitraryState.buildQueryAfter(
                    FileSource.readTable(spark, "sample-data/sales").where("region <> 'us'"),
                    earlier)
                .select("region", "alert")
                .collectAsList())
        .containsExactlyInAnyOrder(row("ap", 1), row("br", 1), row("eu", 8));
  }

  /** Spark plans the function of the batch query as if it were part of the stream. */
  @Test
  void anInitialStateFromSuchAFunctionIsRefused(InMemoryStream sales, SparkSession spark) {
    Dataset<Row> earlier =
        ArbitraryState.buildQuery(FileSource.readTable(spark, "sample-data/sales"));
    testStream(
        ArbitraryState.buildQueryAfter(sales.toDF(), earlier),
        Append(),
        add(sales, sale("12:00", "eu", 1.0))
            .expectFailure(IllegalArgumentException.class, "requirement failed"));
  }

  /** The sample data has a 100.0 and a 1000.0 behind the watermark. */
  @Test
  void sessionWindowsTakeInWhatTheAlertsMiss(FileStream sales) throws Exception {
    List<Step> steps = new ArrayList<>(List.of(Sales.sampleData(sales)));
    steps.add(
        check(() -> {})
            .allRows(
                row(window("12:05", "12:35"), "ap", 4.0),
                row(window("12:01", "12:44"), "eu", 1117.0),
                row(window("12:02", "12:45"), "us", 35.0)));
    testStream(sessions(sales.toDF()), Append(), steps.toArray(Step[]::new));
  }

  /** In small pieces, in large ones, and at once; a window function gives the same. */
  @Test
  void anyMicroBatchesGiveTheRowsOfTheBatchQuery(
      InMemoryStream small, FileStream large, SparkSession spark) {
    Random random = new Random(1);
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < 240; i++) {
      int second = 12 * 3600 + i * 15 - random.nextInt(480);
      String time = "%02d:%02d:%02d".formatted(second / 3600, second / 60 % 60, second % 60);
      rows.add(sale(time, random.nextBoolean() ? "eu" : null, random.nextInt(400) * 0.25));
    }
    Row last = sale("2026-01-02", "last", 0.0);
    Dataset<Row> table = spark.createDataFrame(rows, StructType.fromDDL(FileSource.SCHEMA));
    List<Row> expected = byWindowFunctions(table).collectAsList();

    assertThat(expected).hasSizeGreaterThan(20);
    assertThat(oneMinute(table).collectAsList()).containsExactlyInAnyOrderElementsOf(expected);
    testStream(
        oneMinute(small.toDF()),
        Append(),
        Stream.concat(
                IntStream.range(0, 6)
                    .mapToObj(i -> add(small, rows.subList(i * 40, i * 40 + 40)).dropped(0)),
                Stream.of(add(small, last).allRows(expected)))
            .toArray(Step[]::new));
    testStream(
        oneMinute(large.toDF()),
        Append(),
        add(large, rows.subList(0, 234)),
        addAllAtOnce(large, rows.subList(234, 240).toArray(Row[]::new)).dropped(0),
        add(large, last).allRows(expected));
  }

  private static Dataset<Row> oneMinute(Dataset<Row> events) {
    return ArbitraryState.buildQuery(events, "10 minutes", Duration.ofMinutes(1));
  }

  private static Dataset<Row> byWindowFunctions(Dataset<Row> events) {
    events.createOrReplaceTempView("sales");
    return events
        .sparkSession()
        .sql(
            """
            with marked as (
              select *, case when event_time - lag(event_time) over
                (partition by region order by event_time) <= interval 1 minute then 0 else 1 end
                as starts from sales),
            numbered as (
              select *, cast(sum(starts) over (partition by region order by event_time
                range between unbounded preceding and current row) as int) as alert from marked)
            select region, alert, min(event_time), max(event_time), sum(amount)
            from numbered group by region, alert
            """);
  }

  public record Sold(long last, double total) {}

  @Test
  void aRecordHasNoColumnsAndFailsAtItsFirstRow(InMemoryStream sales) {
    FlatMapGroupsWithStateFunction<String, Row, Sold, String> keep =
        (region, rows, state) -> {
          state.update(new Sold(1, state.exists() ? state.get().total() : 2));
          return strings(region);
        };

    assertThat(Encoders.bean(Sold.class).schema().fields()).isEmpty();
    testStream(
        query(
            sales.toDF(), keep, Append(), Encoders.bean(Sold.class), GroupStateTimeout.NoTimeout()),
        Append(),
        add(sales, sale("12:00", "eu", 1.0))
            .expectFailure(NoSuchElementException.class, "head of empty list"));
  }

  @Test
  void otherEncodersKeepBytes() {
    assertThat(Encoders.kryo(RegionState.class).schema().toDDL()).isEqualTo("value BINARY");
    assertThat(Encoders.javaSerialization(RegionState.class).schema().toDDL())
        .isEqualTo("value BINARY");
  }

  /** State of a first release. */
  public static class Before {
    private long first = 1;
    private long last = 2;

    public long getFirst() {
      return first;
    }

    public void setFirst(long first) {
      this.first = first;
    }

    public long getLast() {
      return last;
    }

    public void setLast(long last) {
      this.last = last;
    }

    @Override
    public String toString() {
      return "first " + first + " last " + last;
    }
  }

  /** With a third field. */
  public static final class Added extends Before {
    private int sales;

    public int getSales() {
      return sales;
    }

    public void setSales(int sales) {
      this.sales = sales;
    }
  }

  /** Without the first field. */
  public static final class Removed {
    private long last;

    public long getLast() {
      return last;
    }

    public void setLast(long last) {
      this.last = last;
    }
  }

  /** With another type. */
  public static final class Retyped {
    private int first;
    private long last;

    public int getFirst() {
      return first;
    }

    public void setFirst(int first) {
      this.first = first;
    }

    public long getLast() {
      return last;
    }

    public void setLast(long last) {
      this.last = last;
    }
  }

  /** With another name for the first field. */
  public static final class Renamed {
    private long start;
    private long last;

    public long getStart() {
      return start;
    }

    public void setStart(long start) {
      this.start = start;
    }

    public long getLast() {
      return last;
    }

    public void setLast(long last) {
      this.last = last;
    }

    @Override
    public String toString() {
      return "start " + start + " last " + last;
    }
  }

  private final List<String> printed = new ArrayList<>();

  private static <S> Dataset<Row> keeping(Dataset<Row> events, Class<S> type) {
    FlatMapGroupsWithStateFunction<String, Row, S, String> function =
        (region, rows, state) -> {
          state.update(state.exists() ? state.get() : type.getConstructor().newInstance());
          return strings(state.get().toString());
        };
    return query(events, function, Append(), Encoders.bean(type), GroupStateTimeout.NoTimeout());
  }

  private DataStreamWriter<Row> printing(Dataset<Row> query) {
    VoidFunction2<Dataset<Row>, Long> print =
        (rows, id) -> rows.collectAsList().forEach(row -> printed.add(row.getString(0)));
    return query.writeStream().outputMode(Append()).foreachBatch(print);
  }

  /** The state that one release left is read by the next one. */
  private void change(StreamInput sales, Dataset<Row> changed, Step next) {
    testStream(
        printing(keeping(sales.toDF(), Before.class)),
        add(sales, sale("12:00", "eu", 1.0)),
        stop(),
        start(printing(changed)),
        next);
  }

  @Test
  void aFieldAddedOrRemovedOrOfAnotherTypeEndsTheQuery(
      InMemoryStream a,
      @Columns(FileSource.SCHEMA) InMemoryStream b,
      @Columns(FileSource.SCHEMA) InMemoryStream c) {
    change(
        a,
        keeping(a.toDF(), Added.class),
        add(a, sale("12:01", "eu", 1.0)).expectFailure(Exception.class, SCHEMA_DIFFERS));
    change(
        b,
        keeping(b.toDF(), Removed.class),
        add(b, sale("12:01", "eu", 1.0)).expectFailure(Exception.class, SCHEMA_DIFFERS));
    change(
        c,
        keeping(c.toDF(), Retyped.class),
        add(c, sale("12:01", "eu", 1.0)).expectFailure(Exception.class, SCHEMA_DIFFERS));
  }

  @Test
  void aFieldWithAnotherNameGetsTheValueOfItsNeighbour(InMemoryStream sales) {
    change(sales, keeping(sales.toDF(), Renamed.class), add(sales, sale("12:01", "eu", 1.0)));

    assertThat(printed).containsExactly("first 1 last 2", "start 2 last 1");
  }

  private Dataset<Row> current;

  private void restartAs(InMemoryStream sales, Dataset<Row> before, Dataset<Row> after, Step next) {
    current = before;
    testStream(
        checkpoint -> {
          QuerySignature.require(current, Append(), checkpoint);
          return printing(current.select(current.columns()[0]));
        },
        () -> sales.toDF().sparkSession().emptyDataFrame(),
        add(sales, sale("12:00", "eu", 1.0)),
        stop(),
        check(() -> current = after),
        next);
  }

  @Test
  void theSignatureSeesTheNewName(InMemoryStream sales) {
    restartAs(
        sales,
        keeping(sales.toDF(), Before.class),
        keeping(sales.toDF(), Renamed.class),
        start().expectFailure(IllegalStateException.class, "belongs to another query"));
  }

  @Test
  void theSignatureDoesNotSeeAnotherQuietPeriod(InMemoryStream sales) {
    restartAs(
        sales,
        ArbitraryState.buildQuery(sales.toDF()),
        ArbitraryState.buildQuery(sales.toDF(), "10 minutes", Duration.ofMinutes(40)),
        start());
  }

  @Test
  void theOrderOfTheRowsDoesNotMatter(InMemoryStream sales) {
    testStream(
        ArbitraryState.buildQuery(sales.toDF()),
        Append(),
        // In one micro-batch, two runs and their order.
        add(
                sales,
                sale("13:30", "eu", 8.0),
                sale("12:20", "eu", 2.0),
                sale("12:00", "eu", 1.0),
                sale("12:40", "eu", 4.0))
            .rows(alert("eu", 1, "12:00", "12:40", 7.0))
            .watermark("13:20"),
        // The sale between the two comes last and makes one run of them.
        add(sales, sale("14:01", "eu", 16.0)).rows().watermark("13:51"),
        add(sales, sale("13:55", "eu", 32.0)).rows().dropped(0),
        add(sales, sale("15:00", "us", 1.0)).rows(alert("eu", 2, "13:30", "14:01", 56.0)));
  }

  @Test
  void nullsAreARegionAndNoAmountAndASaleWithoutTimeIsNotCounted(InMemoryStream sales) {
    testStream(
        ArbitraryState.buildQuery(sales.toDF()),
        Append(),
        add(
                sales,
                sale("12:00", null, 1.0),
                sale("12:10:00.000999", null, null),
                row(null, null, 100.0),
                sale("12:00", "eu", null))
            .state(2)
            .dropped(0),
        add(sales, sale("13:00", "us", 1.0))
            .rows(alert(null, 1, "12:00", "12:10", 1.0), alert("eu", 1, "12:00", "12:00", 0.0)));
  }

  @Test
  void sessionWindowsGiveTheSameTotalsAndTakeInWhatIsLate(InMemoryStream sales) {
    testStream(
        sessions(sales.toDF()),
        Append(),
        add(sales, sale("12:10", "eu", 1.0), sale("12:40", "eu", 2.0)).watermark("12:30"),
        add(sales, sale("12:01", "eu", 100.0)).rows().dropped(0),
        add(sales, sale("13:20:01", "eu", 4.0)).rows(row(window("12:01", "13:10"), "eu", 103.0)));
  }

  private static Dataset<Row> sessions(Dataset<Row> sales) {
    return sales
        .withWatermark("event_time", "10 minutes")
        .groupBy(session_window(col("event_time"), "30 minutes").as("run"), col("region"))
        .agg(sum("amount"));
  }

  @Test
  void aMappedGroupIsOneRowAndAnAggregationGivesTheSame(
      InMemoryStream mapped, @Columns(FileSource.SCHEMA) InMemoryStream aggregated) {
    assertTotals(ArbitraryState.buildTotals(mapped.toDF()), mapped);
    assertTotals(aggregated.toDF().groupBy("region").agg(sum("amount")), aggregated);
  }

  private static void assertTotals(Dataset<Row> totals, InMemoryStream sales) {
    testStream(
        totals,
        Update(),
        add(sales, sale("12:00", "eu", 1.0), sale("12:00", "us", 2.0), sale("12:00", "eu", 4.0))
            .lastRows(row("eu", 5.0), row("us", 2.0)),
        add(sales, sale("12:00", "eu", null)).rows(row("eu", 5.0)).state(2));
  }
}
