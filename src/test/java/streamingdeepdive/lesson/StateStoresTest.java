package streamingdeepdive.lesson;

import static org.apache.spark.sql.streaming.OutputMode.Update;
import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.crash;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.List;
import java.util.function.BiConsumer;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.streaming.StreamingQueryWrapper;
import org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import streamingdeepdive.app.CapturedLog;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.StreamingExtension;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class StateStoresTest {
  private static final Row SALE = sale("12:01", "eu", 1.0);

  enum Store {
    DEFAULT,
    ROCKSDB,
    ROCKSDB_WITH_CHANGELOG;

    String className() {
      return this == DEFAULT ? HDFSBackedStateStoreProvider.class.getName() : StateStores.ROCKSDB;
    }

    /** For the queries that start from now on. */
    void set(SparkSession spark) {
      spark.conf().set(StateStores.PROVIDER_CLASS, className());
      spark.conf().set(StateStores.CHANGELOG, this == ROCKSDB_WITH_CHANGELOG);
    }
  }

  /** The files of the state; two partitions make two of each version. */
  static BiConsumer<StreamingQuery, List<StreamingQueryProgress>> files(
      SparkSession spark, Row... files) {
    return (query, progress) ->
        assertThat(StateStores.stateFiles(spark, checkpointOf(query)).collectAsList())
            .containsExactlyInAnyOrder(files);
  }

  static String checkpointOf(StreamingQuery query) {
    return ((StreamingQueryWrapper) query).streamingQuery().resolvedCheckpointRoot();
  }

  @ParameterizedTest
  @EnumSource
  void theRowsAreTheSameAfterARestartAndACrash(
      Store store, SparkSession spark, InMemoryStream sales) {
    store.set(spark);
    testStream(
        WindowedAggregation.buildQuery(sales.toDF()),
        Update(),
        add(sales, SALE, sale("12:06", "us", 2.0))
            .rows(total("12:00", "12:05", "eu", 1.0), total("12:05", "12:10", "us", 2.0))
            .watermark("11:56")
            .state(2),
        restart().rows(),
        add(sales, sale("12:02", "eu", 4.0))
            .rows(total("12:00", "12:05", "eu", 5.0))
            .state(2)
            .updated(1),
        crash(sales, sale("12:15", "eu", 8.0), sale("12:03", "eu", 16.0))
            .rows(total("12:00", "12:05", "eu", 21.0), total("12:15", "12:20", "eu", 8.0))
            .watermark("12:05")
            .removed(1)
            .state(2),
        add(sales, SALE, sale("12:15", "eu", 1.0))
            .rows(total("12:15", "12:20", "eu", 9.0))
            .dropped(1)
            .state(2));
  }

  @Test
  void aChangelogGoesOnFromASnapshotAndASnapshotFromAChangelog(
      SparkSession spark, InMemoryStream sales) {
    Store.ROCKSDB.set(spark);
    testStream(
        FileSource.buildQuery(sales.toDF()),
        Update(),
        add(sales, SALE).rows(row("eu", 1L, 1.0)).satisfies(files(spark, row("zip", 2L, 1L, 1L))),
        add(sales, SALE).rows(row("eu", 2L, 2.0)).satisfies(files(spark, row("zip", 4L, 1L, 2L))),
        check(() -> Store.ROCKSDB_WITH_CHANGELOG.set(spark)),
        restart(),
        add(sales, SALE)
            .rows(row("eu", 3L, 3.0))
            .satisfies(files(spark, row("zip", 4L, 1L, 2L), row("changelog", 2L, 3L, 3L))),
        add(sales, SALE)
            .rows(row("eu", 4L, 4.0))
            .satisfies(files(spark, row("zip", 4L, 1L, 2L), row("changelog", 4L, 3L, 4L))),
        check(() -> Store.ROCKSDB.set(spark)),
        restart(),
        add(sales, SALE)
            .rows(row("eu", 5L, 5.0))
            .satisfies(files(spark, row("zip", 6L, 1L, 5L), row("changelog", 4L, 3L, 4L))));
  }

  @ParameterizedTest
  @CsvSource({"DEFAULT, ROCKSDB, delta", "ROCKSDB, DEFAULT, zip"})
  void theStoreIsThatOfTheCheckpoint(
      Store first, Store next, String kind, SparkSession spark, InMemoryStream sales) {
    first.set(spark);
    try (CapturedLog log = CapturedLog.open()) {
      testStream(
          FileSource.buildQuery(sales.toDF()),
          Update(),
          add(sales, SALE).satisfies(files(spark, row(kind, 2L, 1L, 1L))),
          check(() -> next.set(spark)),
          restart(),
          add(sales, SALE).rows(row("eu", 2L, 2.0)).satisfies(files(spark, row(kind, 4L, 1L, 2L))));

      assertThat(log.messages())
          .anyMatch(
              message ->
                  message.startsWith(
                      "Updating the value of conf '%s' in current session from '%s' to '%s'."
                          .formatted(
                              StateStores.PROVIDER_CLASS, next.className(), first.className())));
    }
  }
}
