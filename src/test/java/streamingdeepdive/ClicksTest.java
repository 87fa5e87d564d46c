package streamingdeepdive;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.window;
import static streamingdeepdive.testkit.Rows.at;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.Rows.window;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.testStream;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.OutputMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.StreamingExtension;

/** The example of the README, as it stands there. */
@ExtendWith(StreamingExtension.class)
class ClicksTest {
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
