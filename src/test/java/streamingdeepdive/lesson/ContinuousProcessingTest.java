package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.to_json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static streamingdeepdive.lesson.Sales.sale;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import streamingdeepdive.app.RowCollector;
import streamingdeepdive.app.Topic;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.KafkaStream;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class ContinuousProcessingTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @Test
  void amountsBecomeEurosAndSmallOnesAreLeftOut(SparkSession spark) {
    Dataset<Row> sales =
        spark.createDataFrame(
            List.of(
                sale("12:00", "us", 2.0),
                sale("12:01", "us", 1.9),
                sale("12:02", "eu", 1.0),
                sale("12:03", "??", 100.0),
                sale("12:04", null, 100.0),
                sale("12:05", "eu", null)),
            StructType.fromDDL(FileSource.SCHEMA));

    assertThat(ContinuousProcessing.buildQuery(sales).collectAsList())
        .containsExactly(sale("12:00", "us", 1.0), sale("12:02", "eu", 1.0));
    assertThat(ContinuousProcessing.buildQuery(sales, Map.of("??", 0.5), 50.0).collectAsList())
        .containsExactly(sale("12:03", "??", 50.0));
  }

  private static StreamingQuery start(KafkaStream sales, KafkaStream output, Path checkpoint)
      throws Exception {
    Topic topic = sales.topic();
    Dataset<Row> events =
        KafkaSource.events(
            KafkaSource.records(
                SparkSession.active(), topic.bootstrapServers(), topic.name(), KafkaStream.SOURCE));
    return ContinuousProcessing.continuous(
            ContinuousProcessing.buildQuery(events).select(to_json(struct(col("*"))).as("value")),
            topic.partitions())
        .format("kafka")
        .option("kafka.bootstrap.servers", topic.bootstrapServers())
        .option("topic", output.topic().name())
        .option("checkpointLocation", checkpoint.toString())
        .start();
  }

  private static String inEuros(String time, String region, double amount) {
    return "{\"event_time\":\"2026-01-01T%s:00.000Z\",\"region\":\"%s\",\"amount\":%s}"
        .formatted(time, region, amount);
  }

  /** Reads the output up to this value, which the query delivers last. */
  private static List<String> awaitValue(String last, KafkaStream output) {
    TopicPartition partition = new TopicPartition(output.topic().name(), 0);
    List<String> values = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", output.topic().bootstrapServers()),
            new StringDeserializer(),
            new StringDeserializer())) {
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long deadline = System.nanoTime() + LIMIT.toNanos();
      while (!values.contains(last)) {
        consumer.poll(Duration.ofSeconds(1)).forEach(record -> values.add(record.value()));
        assertThat(System.nanoTime()).as("still waiting for %s", last).isLessThan(deadline);
      }
    }
    return values;
  }

  @Test
  void deliversFromTopicToTopicAndGoesOnAfterARestartWithoutLoss(
      KafkaStream sales, KafkaStream output, TestSession session) throws Exception {
    Path checkpoint = session.newDirectory();
    StreamingQuery query = start(sales, output, checkpoint);
    sales.addData(List.of(sale("12:00", "us", 2.0), sale("12:01", "us", 1.0)));
    sales.addData(List.of(sale("12:02", "eu", 3.0)));
    List<String> first = List.of(inEuros("12:00", "us", 1.0), inEuros("12:02", "eu", 3.0));
    assertThat(awaitValue(first.get(1), output)).isEqualTo(first);

    query.stop();
    sales.addData(List.of(sale("12:03", "br", 8.0)));
    query = start(sales, output, checkpoint);
    sales.addData(List.of(sale("12:04", "eu", 5.0)));

    // Those of before the stop may come twice.
    assertThat(awaitValue(inEuros("12:04", "eu", 5.0), output))
        .containsAll(first)
        .endsWith(inEuros("12:03", "br", 2.0), inEuros("12:04", "eu", 5.0));
    assertThat(query.lastProgress()).isNull();
    query.stop();
  }

  @Test
  void deliversFromTheRateSourceToAMemoryTable(SparkSession spark) throws Exception {
    Dataset<Row> rate =
        spark
            .readStream()
            .format("rate")
            .option("numPartitions", 1)
            .option("rowsPerSecond", 100)
            .load()
            .selectExpr("timestamp event_time", "'us' region", "value + 1.0D amount");
    StreamingQuery query =
        ContinuousProcessing.continuous(
                ContinuousProcessing.buildQuery(rate), 1, "100 milliseconds")
            .format("memory")
            .queryName("continuous")
            .start();
    Dataset<Row> table = spark.table("continuous").select("region", "amount");
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (table.count() < 3) {
      assertThat(System.nanoTime()).isLessThan(deadline);
    }
    query.stop();

    assertThat(table.orderBy("amount").limit(3).collectAsList())
        .extracting(row -> row.getDouble(1))
        .containsExactly(1.0, 1.5, 2.0);
  }

  static Stream<Arguments> refused() {
    return Stream.of(
        refused(
            "Continuous processing does not support Aggregate operations.",
            source ->
                continuous(source.rate().groupBy("value").count())
                    .outputMode(OutputMode.Update())
                    .format("noop")),
        refused(
            "Continuous processing does not support Deduplicate operations.",
            source -> continuous(source.rate().dropDuplicates("value")).format("noop")),
        refused(
            "Continuous processing does not support EventTimeWatermark operations.",
            source ->
                continuous(source.rate().withWatermark("timestamp", "1 second")).format("noop")),
        refused(
            "Continuous processing does not support StreamingRelation operations.",
            source -> continuous(source.files()).format("noop")),
        refused(
            "Unknown type of trigger: ContinuousTrigger",
            source -> continuous(source.rate()).format("parquet").option("path", source.path())),
        refused(
            "'foreachBatch' is not supported with continuous trigger.",
            source -> continuous(source.rate()).foreachBatch(new RowCollector()::collect)));
  }

  private record Source(SparkSession spark, String path) {
    Dataset<Row> rate() {
      return spark.readStream().format("rate").option("numPartitions", 1).load();
    }

    Dataset<Row> files() {
      return FileSource.read(spark, "sample-data/sales");
    }
  }

  private static DataStreamWriter<Row> continuous(Dataset<Row> rows) {
    return ContinuousProcessing.continuous(rows, 1);
  }

  private static Arguments refused(String message, Function<Source, DataStreamWriter<Row>> writer) {
    return Arguments.of(message, writer);
  }

  @ParameterizedTest
  @MethodSource("refused")
  void whatItCannotDoFailsAtTheStart(
      String message, Function<Source, DataStreamWriter<Row>> writer, TestSession session) {
    String path = session.newDirectory().resolve("output").toUri().toString();
    String checkpoint = session.newDirectory().toString();

    assertThatThrownBy(
            () ->
                writer
                    .apply(new Source(session.spark(), path))
                    .option("checkpointLocation", checkpoint)
                    .start())
        .hasMessageStartingWith(message);
    assertThat(session.spark().streams().active()).isEmpty();
  }

  @Test
  void fewerCoresThanPartitionsAreRefused(SparkSession spark) {
    Dataset<Row> rate = spark.readStream().format("rate").option("numPartitions", 3).load();

    assertThatThrownBy(() -> ContinuousProcessing.continuous(rate, 3))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "A continuous query keeps a core busy for each of its 3 partitions, and the default"
                + " parallelism of this session is 2; give it more cores, such as with --master"
                + " local[4].");
    assertThat(ContinuousProcessing.continuous(rate, 2)).isNotNull();
  }
}
