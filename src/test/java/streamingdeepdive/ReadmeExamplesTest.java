package streamingdeepdive;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.window;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static streamingdeepdive.testkit.Rows.at;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.Rows.window;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.recovery.QuerySignature;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

/** The code of the README, word for word. */
@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class ReadmeExamplesTest {
  @Test
  void aQueryOfTheLibraryIsImported(SparkSession spark) {
    Dataset<Row> events =
        spark.createDataFrame(
            List.of(row(at("12:20"), "eu", 1.0)), StructType.fromDDL(FileSource.SCHEMA));

    Dataset<Row> totals = WindowedAggregation.buildQuery(events, "1 hour", "15 minutes");

    assertThat(totals.collectAsList()).containsExactly(row(window("12:15", "12:30"), "eu", 1.0));
  }

  @Test
  void aQueryIsHeldToItsCheckpoint(FileStream events, TestSession session) throws Exception {
    Dataset<Row> totals = WindowedAggregation.buildQuery(events.toDF());
    String checkpoint = session.newDirectory().toString();

    QuerySignature.require(totals, OutputMode.Append(), checkpoint);
    events.addData(List.of(row(at("12:20"), "eu", 1.0)));
    StreamingQuery query =
        totals.writeStream().format("noop").option("checkpointLocation", checkpoint).start();
    query.processAllAvailable();
    query.stop();

    Dataset<Row> changed = WindowedAggregation.buildQuery(events.toDF(), "1 hour", "15 minutes");
    assertThatThrownBy(() -> QuerySignature.require(changed, OutputMode.Append(), checkpoint))
        .hasMessageContaining("belongs to another query");
  }

  @Test
  void countsPerUser(@Columns("time TIMESTAMP, user STRING") FileStream clicks) {
    Dataset<Row> counts =
        clicks
            .toDF()
            .withWatermark("time", "1 minute")
            .groupBy(window(col("time"), "1 minute"), col("user"))
            .count();
    testStream(
        counts,
        OutputMode.Append(),
        add(clicks, row(at("10:00:05"), "ann"), row(at("10:00:30"), "ann")).rows(),
        add(clicks, row(at("10:02:00"), "bob"))
            .rows(row(window("10:00", "10:01"), "ann", 2L))
            .watermark("10:01"),
        restart().state(1),
        add(clicks, row(at("10:00:59"), "ann")).rows().dropped(1));
  }
}
