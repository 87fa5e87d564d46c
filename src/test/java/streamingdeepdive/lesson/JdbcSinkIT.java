package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.sum;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static streamingdeepdive.lesson.JdbcSinkScript.before;
import static streamingdeepdive.lesson.JdbcSinkScript.read;
import static streamingdeepdive.lesson.JdbcSinkScript.totals;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.lang3.RandomStringUtils;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import streamingdeepdive.app.DirectoryFeed;
import streamingdeepdive.recovery.HookedDriver;
import streamingdeepdive.recovery.PostgresServer;
import streamingdeepdive.recovery.TestDatabase;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.StreamingExtension;

/** On a PostgreSQL server, and what takes long on H2. */
@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class JdbcSinkIT {
  @AfterEach
  void everyConnectionIsClosed() {
    HookedDriver.removeHook();
    assertThat(HookedDriver.openConnections()).isZero();
  }

  @ParameterizedTest
  @EnumSource(
      names = {"A_TOTAL_THAT_CHANGES_REPLACES_ITS_ROW", "A_REPLAYED_MICRO_BATCH_CHANGES_NOTHING"},
      mode = EnumSource.Mode.EXCLUDE)
  void theOthersOnH2(JdbcSinkScript script, FileStream sales) throws Exception {
    script.run(TestDatabase.H2, sales);
  }

  @ParameterizedTest
  @EnumSource
  void onPostgresql(JdbcSinkScript script, FileStream sales) throws Exception {
    script.run(TestDatabase.POSTGRESQL, sales);
  }

  @Test
  void aDatabaseThatGoesAwayFailsTheQueryAndComesBack(FileStream sales) throws Exception {
    Map<String, String> options = TestDatabase.POSTGRESQL.create();
    PostgresServer server = PostgresServer.shared();
    AtomicBoolean away = new AtomicBoolean();
    try {
      testStream(
          totals(sales, options),
          () -> away.get() ? SparkSession.active().emptyDataFrame() : read(options),
          add(sales, sale("12:01", "eu", 1.0)).rows(total("12:00", "12:05", "eu", 1.0)),
          check(
              () ->
                  HookedDriver.setHook(
                      event -> {
                        if (event.contains(" UPDATE ") && away.compareAndSet(false, true)) {
                          server.stop();
                        }
                      })),
          add(sales, sale("12:02", "eu", 2.0)).expectFailure(SQLException.class, ""),
          start().expectFailure(IllegalStateException.class, "refused"),
          check(server::resume),
          check(() -> away.set(false)),
          check(HookedDriver::removeHook),
          start().rows(total("12:00", "12:05", "eu", 3.0)));
    } finally {
      if (away.get()) {
        server.resume();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void tenThousandTotalsAreWrittenAThousandAtATime(TestDatabase database, FileStream sales)
      throws Exception {
    Map<String, String> options = database.create();
    List<String> events = Collections.synchronizedList(new ArrayList<>());
    HookedDriver.setHook(
        event -> {
          if (event.contains(" x ")) {
            events.add((TaskContext.get() == null ? "driver " : "executor ") + event);
          }
        });
    Row[] rows =
        IntStream.range(0, 10_000)
            .mapToObj(key -> sale("12:01", "r" + key, 1.0))
            .toArray(Row[]::new);
    testStream(
        totals(sales, options),
        () -> read(options).groupBy().agg(count("*"), sum("total_amount")),
        add(sales, rows).rows(row(10_000L, 10_000.0)),
        check(
            () ->
                assertThat(events)
                    .hasSizeBetween(10, 12)
                    .allMatch(event -> event.matches("executor .* x (\\d{1,3}|1000)"))),
        add(sales, rows[7], rows[9_999]).rows(row(10_000L, 10_002.0)));
  }

  /** PostgreSQL stores no text that holds U+0000, and none in an index that is too long for it. */
  @ParameterizedTest
  @MethodSource("unstorableRegions")
  void aRegionThatCannotBeStoredIsNamed(String region, String sentence, FileStream sales)
      throws Exception {
    Map<String, String> options = TestDatabase.POSTGRESQL.create();
    testStream(
        totals(sales, options),
        () -> read(options),
        add(sales, sale("12:01", "eu", 1.0), sale("12:01", region, 2.0))
            .expectFailure(
                RuntimeException.class,
                "PostgreSQL cannot store the region "
                    + sentence
                    + " Reject such values where the events are read, and start again."));
  }

  static Stream<Arguments> unstorableRegions() {
    String longest = "ä".repeat(1300);
    return Stream.of(
        Arguments.of("u\0s", "u?s, where ? is the character U+0000."),
        Arguments.of(longest + "x", "ä".repeat(100) + "..., which is longer than 2600 bytes."));
  }

  @Test
  void theLongestRegionIsStored(FileStream sales) throws Exception {
    Map<String, String> options = TestDatabase.POSTGRESQL.create();
    String region = RandomStringUtils.random(1300, 0x100, 0x700, true, false, null, new Random(1));
    testStream(
        totals(sales, options),
        () -> read(options),
        add(sales, sale("12:01", region, 1.0)).rows(total("12:00", "12:05", region, 1.0)));
  }

  private static DataStreamWriter<Row> query(
      SparkSession spark, Map<String, String> options, String table, Path place) {
    Dataset<Row> sales = FileSource.read(spark, place.resolve("input").toString());
    return JdbcSink.buildQuery(
            WindowedAggregation.buildQuery(sales),
            options,
            table,
            place.resolve("checkpoint").toString())
        .trigger(Trigger.AvailableNow());
  }

  private static void land(Path place) {
    new DirectoryFeed(place.resolve("input"))
        .land(
            "1.json",
            "{\"event_time\":\"2026-01-01T12:01:00Z\",\"region\":\"eu\",\"amount\":1.0}\n");
  }

  @Test
  void aTableWithOtherColumnsIsRefused(@TempDir Path place, SparkSession spark) throws Exception {
    Map<String, String> options = TestDatabase.POSTGRESQL.create();
    TestDatabase.execute(options, "CREATE TABLE totals (window_start DATE, region VARCHAR(10))");
    land(place);

    assertThatThrownBy(() -> query(spark, options, "totals", place))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "The table totals has the columns window_start date, region varchar; the query needs"
                + " window_start timestamptz, window_end timestamptz, region text, total_amount"
                + " float8. Give the query another table.");
  }

  /** The longest name that leaves room for the tables beside; PostgreSQL would cut longer ones. */
  @Test
  void theLongestNameIsWrittenAndALongerOneRefused(@TempDir Path place, SparkSession spark)
      throws Exception {
    Map<String, String> options = TestDatabase.POSTGRESQL.create();
    String longest = "t".repeat(54);
    land(place);
    query(spark, options, longest, place).start().awaitTermination();
    assertThat(JdbcSink.read(spark, options, longest).collectAsList())
        .containsExactly(total("12:00", "12:05", "eu", 1.0));

    assertThatThrownBy(() -> query(spark, options, longest + "t", place))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("with _progress behind it, it must fit into 63 bytes.");
  }

  /** As somebody makes it who has the columns from the Javadoc. */
  @Test
  void anEmptyTableWithTheSameColumnsIsTaken(@TempDir Path place, SparkSession spark)
      throws Exception {
    Map<String, String> options = TestDatabase.POSTGRESQL.create();
    TestDatabase.execute(
        options,
        "CREATE TABLE totals (window_start TIMESTAMP WITH TIME ZONE, window_end TIMESTAMP WITH TIME"
            + " ZONE, region TEXT, total_amount DOUBLE PRECISION,"
            + " UNIQUE NULLS NOT DISTINCT (window_start, window_end, region))");
    land(place);
    query(spark, options, "totals", place).start().awaitTermination();

    assertThat(TestDatabase.execute(options, "SELECT region FROM totals")).containsExactly("eu");
  }

  /** A database inside a process, which that closes in the middle of the transaction. */
  @Test
  void aDatabaseThatIsClosedFailsTheQueryAndIsOpenedAgain(
      FileStream sales, @TempDir Path directory) {
    Map<String, String> options = Map.of("url", "jdbc:h2:file:" + directory.resolve("database"));
    testStream(
        totals(sales, options),
        () -> read(options),
        add(sales, sale("12:01", "eu", 1.0)).rows(total("12:00", "12:05", "eu", 1.0)),
        check(() -> before("H2 COMMIT;.* UPDATE .*", options, "SHUTDOWN IMMEDIATELY")),
        add(sales, sale("12:02", "eu", 2.0)).expectFailure(SQLException.class, "closed"),
        check(HookedDriver::removeHook),
        start().rows(total("12:00", "12:05", "eu", 3.0)));
  }
}
