package streamingdeepdive.lesson;

import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.JdbcSinkScript.before;
import static streamingdeepdive.lesson.JdbcSinkScript.read;
import static streamingdeepdive.lesson.JdbcSinkScript.totals;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.crash;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.nio.file.Path;
import java.sql.SQLException;
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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
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

  @ParameterizedTest
  @EnumSource
  void onH2(JdbcSinkScript script, FileStream sales) throws Exception {
    script.run(TestDatabase.H2, sales);
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
