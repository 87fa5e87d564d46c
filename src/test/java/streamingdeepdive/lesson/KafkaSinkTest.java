package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.lit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.crash;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.List;
import java.util.function.Supplier;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.app.Topic;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.KafkaStream;
import streamingdeepdive.testkit.StreamingExtension;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class KafkaSinkTest {
  private static DataStreamWriter<Row> query(InMemoryStream sales, KafkaStream output) {
    return KafkaSink.buildQuery(
        WindowedAggregation.buildQuery(sales.toDF()),
        output.topic().bootstrapServers(),
        output.topic().name());
  }

  private static Supplier<Dataset<Row>> records(KafkaStream output) {
    Topic topic = output.topic();
    return () ->
        KafkaSource.readTable(
            SparkSession.active(), topic.bootstrapServers(), topic.name(), KafkaStream.SOURCE);
  }

  private static Row record(long batchId, double amount) {
    return row(
        "{\"start\":\"2026-01-01T12:00:00.000Z\",\"region\":\"eu\"}",
        "{\"window\":{\"start\":\"2026-01-01T12:00:00.000Z\",\"end\":\"2026-01-01T12:05:00.000Z\"},"
            + "\"region\":\"eu\",\"total_amount\":%s,\"batch_id\":%d}".formatted(amount, batchId));
  }

  @Test
  void aMicroBatchThatIsReplayedIsInTheTopicTwice(InMemoryStream sales, KafkaStream output) {
    testStream(
        query(sales, output),
        () -> records(output).get().selectExpr("string(key)", "string(value)"),
        add(sales, sale("12:01", "eu", 1.0)).rows(record(0, 1.0)),
        crash(sales, sale("12:02", "eu", 2.0))
            .rows(record(0, 1.0), record(2, 3.0), record(2, 3.0)));
  }

  @Test
  void theNewestTotalsAreRightThoughAMicroBatchIsReplayed(
      InMemoryStream sales, KafkaStream output) {
    testStream(
        query(sales, output),
        () -> KafkaSink.latest(records(output).get()),
        add(sales, sale("12:01", "eu", 5.0), sale("12:01", "us", 7.0))
            .rows(total("12:00", "12:05", "eu", 5.0), total("12:00", "12:05", "us", 7.0)),
        // The newest total is not the largest one.
        crash(sales, sale("12:02", "eu", -2.0))
            .rows(total("12:00", "12:05", "eu", 3.0), total("12:00", "12:05", "us", 7.0)),
        crash().rows(total("12:00", "12:05", "eu", 3.0), total("12:00", "12:05", "us", 7.0)));
  }

  /** Two of one key would replace one another. */
  @Test
  void totalsOfOtherColumnsAreRefused(InMemoryStream sales) {
    Dataset<Row> perCurrency =
        WindowedAggregation.buildQuery(sales.toDF()).withColumn("currency", lit("EUR"));

    assertThatThrownBy(() -> KafkaSink.buildQuery(perCurrency, "nohost:1", "totals"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("but the query has [currency string, region string");
    assertThatThrownBy(() -> KafkaSink.records(perCurrency, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void nullsAreKept(SparkSession spark) {
    List<Row> totals = List.of(total("12:00", "12:05", null, null));
    StructType schema =
        WindowedAggregation.buildQuery(FileSource.readTable(spark, "sample-data/sales")).schema();
    Dataset<Row> records = KafkaSink.records(spark.createDataFrame(totals, schema), 7);

    assertThat(records.first().getString(0))
        .isEqualTo("{\"start\":\"2026-01-01T12:00:00.000Z\",\"region\":null}");
    assertThat(KafkaSink.latest(records).collectAsList()).isEqualTo(totals);
  }

  @Test
  void theJsonIsInUtcInEverySessionZone(SparkSession spark) {
    spark.conf().set("spark.sql.session.timeZone", "Asia/Tokyo");
    List<Row> totals = List.of(total("12:00", "12:05", "eu", 1.0));
    StructType schema =
        WindowedAggregation.buildQuery(FileSource.readTable(spark, "sample-data/sales")).schema();
    Dataset<Row> records = KafkaSink.records(spark.createDataFrame(totals, schema), 0);

    assertThat(records.collectAsList()).containsExactly(record(0, 1.0));
    assertThat(KafkaSink.latest(records).collectAsList()).isEqualTo(totals);
  }
}
