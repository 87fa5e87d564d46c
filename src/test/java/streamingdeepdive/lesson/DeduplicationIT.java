package streamingdeepdive.lesson;

import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.DeduplicationTest.NOON_EU;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.StreamingExtension;

/** Nulls, and zeros of either sign. */
@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class DeduplicationIT {
  @Test
  void aNullEqualsANull(InMemoryStream sales) {
    Row nulls = row(NOON_EU.get(0), null, null);
    testStream(
        Deduplication.buildQuery(sales.toDF()),
        Append(),
        add(sales, nulls, nulls).rows(nulls).duplicates(1),
        add(sales, nulls).rows().duplicates(1));
  }

  @Test
  void minusZeroIsAKeyOfItsOwnOnAStreamAndNotInABatch(InMemoryStream sales, SparkSession spark) {
    Row zero = sale("12:00", "eu", 0.0);
    Row minusZero = sale("12:00", "eu", -0.0);
    testStream(
        Deduplication.buildQuery(sales.toDF()),
        Append(),
        add(sales, zero).state(1),
        add(sales, minusZero).state(2).duplicates(0));
    Dataset<Row> table =
        spark.createDataFrame(List.of(zero, minusZero), StructType.fromDDL(FileSource.SCHEMA));
    assertThat(Deduplication.buildQuery(table).count()).isEqualTo(1);
  }

  @Test
  void aRowWithoutEventTimeIsRememberedForEver(InMemoryStream sales) {
    Row timeless = row(null, "eu", 1.0);
    testStream(
        Deduplication.buildQuery(sales.toDF()),
        Append(),
        add(sales, timeless, timeless).rows(timeless).duplicates(1).state(1),
        add(sales, sale("18:00", "us", 1.0)).watermark("17:00").state(2),
        add(sales, timeless).rows().duplicates(1).dropped(0).state(2));
  }

  @Test
  void withinTheWatermarkARowWithoutEventTimeIsNeverRemembered(InMemoryStream sales) {
    Row timeless = row(null, "eu", 1.0);
    testStream(
        Deduplication.buildQueryWithinWatermark(sales.toDF(), "1 hour", "region", "amount"),
        Append(),
        add(sales, sale("12:00", "us", 1.0)).watermark("11:00"),
        add(sales, timeless).rows(timeless),
        add(sales, timeless).rows(timeless));
  }
}
