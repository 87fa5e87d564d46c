package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.window;
import static org.apache.spark.sql.streaming.OutputMode.Update;
import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.Step;
import streamingdeepdive.testkit.StreamingExtension;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class WindowedAggregationTest {
  @Test
  void addsUpPerWindowAndRegion(FileStream sales) {
    testStream(
        WindowedAggregation.buildQuery(sales.toDF()),
        Update(),
        add(sales, sale("12:01", "eu", 10.0), sale("12:04", "eu", 5.0), sale("12:02", "us", 7.0))
            .rows(total("12:00", "12:05", "eu", 15.0), total("12:00", "12:05", "us", 7.0)),
        add(sales, sale("12:03", "eu", 1.0)).rows(total("12:00", "12:05", "eu", 16.0)),
        add(sales, sale("12:05", "eu", 2.0)).rows(total("12:05", "12:10", "eu", 2.0)));
  }

  @Test
  void delayAndWindowCanBeChosen(FileStream sales) {
    testStream(
        WindowedAggregation.buildQuery(sales.toDF(), "1 minute", "1 hour"),
        Update(),
        add(sales, sale("12:01", "eu", 10.0)).watermark("12:00"),
        add(sales, sale("12:59", "eu", 5.0))
            .rows(total("12:00", "13:00", "eu", 15.0))
            .watermark("12:58"));
  }

  @Test
  void anEventThatIsDeliveredTwiceCountsTwice(FileStream sales) {
    testStream(
        WindowedAggregation.buildQuery(sales.toDF()),
        Update(),
        add(sales, sale("12:01", "eu", 10.0)),
        add(sales, sale("12:01", "eu", 10.0)).rows(total("12:00", "12:05", "eu", 20.0)));
  }

  @Test
  void anEventWithoutTimeIsInNoWindowAndOnlyAmongTheRowsRead(SparkSession spark, FileStream sales) {
    testStream(
        WindowedAggregation.buildQuery(sales.toDF()),
        Update(),
        add(sales, row(null, "eu", 10.0), sale("12:01", "eu", 1.0))
            .rows(total("12:00", "12:05", "eu", 1.0))
            .state(1)
            .dropped(0),
        check(() -> assertThat(rowsRead(spark)).isEqualTo(2)));
  }

  private static long rowsRead(SparkSession spark) {
    return Arrays.stream(spark.streams().active()[0].recentProgress())
        .mapToLong(StreamingQueryProgress::numInputRows)
        .sum();
  }

  @Test
  void aBatchDatasetGivesEveryTotalAtOnce(SparkSession spark) {
    Dataset<Row> events =
        spark.createDataFrame(
            List.of(sale("12:01", "eu", 10.0), sale("13:20", "us", 6.0), sale("12:04", "eu", 5.0)),
            StructType.fromDDL(FileSource.SCHEMA));

    assertThat(WindowedAggregation.buildQuery(events).collectAsList())
        .containsExactlyInAnyOrder(
            total("12:00", "12:05", "eu", 15.0), total("13:20", "13:25", "us", 6.0));
  }

  @Test
  void withoutAWatermarkTheLateEventCountsAndStateOnlyGrows(FileStream sales) throws IOException {
    Dataset<Row> totals =
        sales
            .toDF()
            .groupBy(window(col("event_time"), "5 minutes"), col("region"))
            .agg(sum("amount"));
    Step[] replay = Sales.sampleData(sales);
    replay[4].rows(total("12:00", "12:05", "eu", 1115.0), total("12:05", "12:10", "us", 20.0));
    replay[7].state(7);

    testStream(totals, Update(), replay);
  }
}
