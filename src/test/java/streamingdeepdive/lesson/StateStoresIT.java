package streamingdeepdive.lesson;

import static org.apache.spark.sql.streaming.OutputMode.Update;
import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.StateStoresTest.checkpointOf;
import static streamingdeepdive.lesson.StateStoresTest.files;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.lang.reflect.Method;
import java.nio.file.Path;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.streaming.state.StateStore$;
import org.apache.spark.sql.execution.streaming.state.StateStoreConf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import streamingdeepdive.app.ChildJvm;
import streamingdeepdive.lesson.StateStoresTest.Store;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.StreamingExtension;

/** The maintenance of the stores, called by the test instead of the clock; RocksDB's library. */
@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class StateStoresIT {
  private static final Row SALE = sale("12:01", "eu", 1.0);
  private static final String INTERVAL = "spark.sql.streaming.stateStore.maintenanceInterval";

  /** The clock of the JVM has the interval of the query that loads a store first. */
  @BeforeEach
  void stopTheClock(SparkSession spark) {
    StateStore$.MODULE$.stopMaintenanceTask();
    spark.conf().set(INTERVAL, "1d");
  }

  @AfterEach
  void letTheNextQueryStartIt() {
    StateStore$.MODULE$.stopMaintenanceTask();
  }

  private static void maintain() {
    try {
      Method maintenance = StateStore$.class.getDeclaredMethod("doMaintenance");
      maintenance.setAccessible(true);
      maintenance.invoke(StateStore$.MODULE$);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  /** A snapshot needs more than three deltas or three changelogs, and two versions are kept. */
  private static void testMaintenance(
      Store store,
      SparkSession spark,
      InMemoryStream sales,
      Row[] afterThree,
      Row[] afterFour,
      Row[] beforeSix,
      Row[] afterSix,
      Row[] afterTen) {
    store.set(spark);
    spark.conf().set("spark.sql.streaming.stateStore.minDeltasForSnapshot", 3);
    spark.conf().set("spark.sql.streaming.minBatchesToRetain", 2);
    testStream(
        FileSource.buildQuery(sales.toDF()),
        Update(),
        add(sales, SALE),
        add(sales, SALE),
        add(sales, SALE),
        check(StateStoresIT::maintain).satisfies(files(spark, afterThree)),
        add(sales, SALE),
        check(StateStoresIT::maintain).satisfies(files(spark, afterFour)),
        add(sales, SALE),
        add(sales, SALE).satisfies(files(spark, beforeSix)),
        check(StateStoresIT::maintain).satisfies(files(spark, afterSix)),
        restart(),
        add(sales, SALE).rows(row("eu", 7L, 7.0)).state(1),
        add(sales, SALE),
        add(sales, SALE),
        add(sales, SALE),
        check(StateStoresIT::maintain).satisfies(files(spark, afterTen)));
  }

  private static Row[] of(Row... files) {
    return files;
  }

  @Test
  void theDefaultStoreKeepsWhatItsLastVersionsNeed(SparkSession spark, InMemoryStream sales) {
    testMaintenance(
        Store.DEFAULT,
        spark,
        sales,
        of(row("delta", 6L, 1L, 3L)),
        of(row("delta", 8L, 1L, 4L), row("snapshot", 2L, 4L, 4L)),
        of(row("delta", 12L, 1L, 6L), row("snapshot", 2L, 4L, 4L)),
        of(row("delta", 6L, 4L, 6L), row("snapshot", 2L, 4L, 4L)),
        of(row("delta", 14L, 4L, 10L), row("snapshot", 4L, 4L, 10L)));
  }

  @Test
  void rocksDbKeepsItsLastSnapshots(SparkSession spark, InMemoryStream sales) {
    testMaintenance(
        Store.ROCKSDB,
        spark,
        sales,
        of(row("zip", 4L, 2L, 3L)),
        of(row("zip", 4L, 3L, 4L)),
        of(row("zip", 8L, 3L, 6L)),
        of(row("zip", 4L, 5L, 6L)),
        of(row("zip", 4L, 9L, 10L)));
  }

  @Test
  void rocksDbKeepsTheChangelogsSinceASnapshot(SparkSession spark, InMemoryStream sales) {
    testMaintenance(
        Store.ROCKSDB_WITH_CHANGELOG,
        spark,
        sales,
        of(row("changelog", 6L, 1L, 3L), row("zip", 2L, 3L, 3L)),
        of(row("changelog", 8L, 1L, 4L), row("zip", 2L, 3L, 3L)),
        of(row("changelog", 12L, 1L, 6L), row("zip", 2L, 3L, 3L)),
        of(row("changelog", 12L, 1L, 6L), row("zip", 4L, 3L, 6L)),
        of(row("changelog", 10L, 6L, 10L), row("zip", 4L, 6L, 10L)));
  }

  /** The zips share them. */
  @Test
  void rocksDbKeepsTheRowsInFilesOfItsOwn(SparkSession spark, InMemoryStream sales) {
    Store.ROCKSDB.set(spark);
    testStream(
        FileSource.buildQuery(sales.toDF()),
        Update(),
        add(sales, SALE)
            .satisfies(
                (query, progress) ->
                    assertThat(
                            spark
                                .read()
                                .format("binaryFile")
                                .option("recursiveFileLookup", true)
                                .option("pathGlobFilter", "*.sst")
                                .load(checkpointOf(query) + "/state")
                                .count())
                        .isPositive()));
  }

  @Test
  void byDefaultAMinuteTenDeltasAndAHundredVersions(SparkSession spark) {
    spark.conf().unset(INTERVAL);
    StateStoreConf conf = StateStoreConf.apply(spark.sessionState().conf());

    assertThat(conf.maintenanceInterval()).isEqualTo(60_000);
    assertThat(conf.minDeltasForSnapshot()).isEqualTo(10);
    assertThat(conf.minVersionsToRetain()).isEqualTo(100);
  }

  @Test
  void ifItIsKilledTheLibraryStays(@TempDir Path place) throws Exception {
    try (ChildJvm main = ChildJvm.start(ChildJvm.QUICK, place, StateStores.class)) {
      main.awaitLine("== 02");
      main.kill();

      assertThat(main.temporaryFiles())
          .anyMatch(file -> file.getFileName().toString().startsWith("librocksdbjni"));
    }
  }
}
