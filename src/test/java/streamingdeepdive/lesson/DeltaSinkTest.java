package streamingdeepdive.lesson;

import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.crash;
import static streamingdeepdive.testkit.StreamScript.testStream;

import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.recovery.DeltaContext;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

/** {@link DeltaSinkIT} has all the rest: each commit to a Delta table takes its time. */
@ExtendWith({DeltaContext.class, StreamingExtension.class})
@Columns(FileSource.SCHEMA)
class DeltaSinkTest {
  @Test
  void aMicroBatchThatIsReplayedMakesNoVersion(FileStream sales, TestSession session) {
    SparkSession spark = session.spark();
    String output = session.newDirectory().toString();
    testStream(
        checkpoint ->
            DeltaSink.buildUpdateQuery(
                WindowedAggregation.buildQuery(sales.toDF()), output, checkpoint),
        () -> DeltaSink.read(spark, output),
        crash(sales, sale("12:01", "eu", 1.0))
            .rows(total("12:00", "12:05", "eu", 1.0))
            .watermark("11:51")
            .state(1),
        check(
            () ->
                assertThat(DeltaSink.history(spark, output).collectAsList())
                    .as("CREATE TABLE and one MERGE")
                    .hasSize(2)));
  }
}
