package streamingdeepdive.lesson;

import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.crash;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.Map;
import java.util.Properties;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.recovery.HookedDriver;
import streamingdeepdive.recovery.TestDatabase;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.StreamingExtension;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class JdbcSinkTest {
  @AfterEach
  void everyConnectionIsClosed() {
    HookedDriver.removeHook();
    assertThat(HookedDriver.openConnections()).isZero();
  }

  /** {@link JdbcSinkIT} has the other scripts. */
  @Test
  void aTotalThatChangesReplacesItsRow(FileStream sales) throws Exception {
    JdbcSinkScript.A_TOTAL_THAT_CHANGES_REPLACES_ITS_ROW.run(TestDatabase.H2, sales);
  }

  @Test
  void aReplayedMicroBatchChangesNothing(FileStream sales) throws Exception {
    JdbcSinkScript.A_REPLAYED_MICRO_BATCH_CHANGES_NOTHING.run(TestDatabase.H2, sales);
  }

  /** The tempting alternative: a row for each revision, and again for each replay. */
  @Test
  void anAppendAddsRowsForEachRevisionAndEachReplay(FileStream sales) throws Exception {
    Map<String, String> options = TestDatabase.H2.create();
    VoidFunction2<Dataset<Row>, Long> append =
        (batch, batchId) ->
            batch
                .select("region", "total_amount")
                .write()
                .mode(SaveMode.Append)
                .jdbc(options.get("url"), "appended", new Properties());
    testStream(
        OutputModes.update(WindowedAggregation.buildQuery(sales.toDF())).foreachBatch(append),
        () -> SparkSession.active().read().jdbc(options.get("url"), "appended", new Properties()),
        add(sales, sale("12:01", "eu", 1.0)).rows(row("eu", 1.0)),
        add(sales, sale("12:01", "eu", 2.0)).rows(row("eu", 1.0), row("eu", 3.0)),
        crash().rows(row("eu", 1.0), row("eu", 3.0), row("eu", 3.0)));
  }
}
