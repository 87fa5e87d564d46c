package streamingdeepdive.lesson;

import static org.apache.spark.sql.streaming.OutputMode.Update;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.StreamTest.add;
import static streamingdeepdive.testkit.StreamTest.crash;
import static streamingdeepdive.testkit.StreamTest.restart;
import static streamingdeepdive.testkit.StreamTest.testStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
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
            .rows(total("12:00", "12:05", "eu", 15.0), total("12:00", "12:05", "us", 7.0))
            .watermark("11:54")
            .state(2)
            .dropped(0),
        crash(sales, sale("12:14", "eu", 1.0))
            .rows(total("12:10", "12:15", "eu", 1.0))
            .watermark("12:04")
            .state(3)
            .dropped(0),
        restart().rows().state(3),
        crash().rows().watermark("12:04"),
        add(sales, sale("12:04", "eu", 1.0)).rows(total("12:00", "12:05", "eu", 16.0)).state(3));
  }
}
