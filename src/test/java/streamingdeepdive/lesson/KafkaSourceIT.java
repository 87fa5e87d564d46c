package streamingdeepdive.lesson;

import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.apache.spark.sql.streaming.OutputMode.Complete;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static streamingdeepdive.lesson.KafkaSourceTest.NOON;
import static streamingdeepdive.lesson.KafkaSourceTest.ONE;
import static streamingdeepdive.lesson.KafkaSourceTest.events;
import static streamingdeepdive.lesson.KafkaSourceTest.records;
import static streamingdeepdive.lesson.KafkaSourceTest.value;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.addAllAtOnce;
import static streamingdeepdive.testkit.StreamScript.addValues;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.crash;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.stop;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import streamingdeepdive.app.CapturedLog;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.KafkaStream;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

/** Options, topics that change, secrets, crashes and many records. */
@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class KafkaSourceIT {
  private static final Map<String, String> SECRETS =
      Map.of(
          "kafka.ssl.truststore.password", "open-sesame",
          "kafka.sasl.jaas.config", "Module required password=\"open-sesame\";");

  @Test
  void noPasswordIsLogged(KafkaStream sales) {
    try (CapturedLog log = CapturedLog.open()) {
      testStream(events(sales, SECRETS), Append(), add(sales, NOON).rows(NOON));

      assertThat(log.messages())
          .anyMatch(message -> message.contains("ssl.truststore.password = [hidden]"))
          .noneMatch(message -> message.contains("open-sesame"));
    }
  }

  @Test
  void aRefusedQueryTellsThePasswordsBelowTheFirstLine(KafkaStream sales) {
    DataStreamWriter<Row> refused =
        events(sales, SECRETS).writeStream().outputMode(Complete()).format("noop");

    assertThatThrownBy(refused::start)
        .isInstanceOf(AnalysisException.class)
        .hasMessageStartingWith("Complete output mode not supported")
        .hasMessageContaining("open-sesame")
        .extracting(failure -> failure.getMessage().lines().findFirst().get(), STRING)
        .doesNotContain("open-sesame");
  }

  @Test
  void aPartitionAddedWhileTheQueryRunsIsReadFromItsStart(KafkaStream sales) {
    String topic = sales.topic().name();
    testStream(
        events(sales, Map.of()),
        Append(),
        add(sales, NOON).rows(NOON),
        check(
            () -> {
              admin(
                  sales, a -> a.createPartitions(Map.of(topic, NewPartitions.increaseTo(2))).all());
              send(sales, new ProducerRecord<>(topic, 1, null, value("ap")));
            }),
        add(sales).rows(sale("12:00", "ap", 1.0)));
  }

  /** Spark asks three times, and waits a second in between unless it is told otherwise. */
  private static Map<String, String> impatient(String failOnDataLoss) {
    return Map.of("fetchOffset.retryIntervalMs", "1", "failOnDataLoss", failOnDataLoss);
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "false"})
  void aTopicThatDoesNotExistFailsTheQuery(
      String failOnDataLoss, SparkSession spark, KafkaStream sales) {
    testStream(
        KafkaSource.events(
            KafkaSource.records(
                spark,
                sales.topic().bootstrapServers(),
                "no-such-topic",
                impatient(failOnDataLoss))),
        Append(),
        start().expectFailure(UnknownTopicOrPartitionException.class, "does not host"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "false"})
  void aTopicThatIsDeletedFailsTheQueryThatRuns(String failOnDataLoss, KafkaStream sales) {
    testStream(
        events(sales, impatient(failOnDataLoss)),
        Append(),
        add(sales, NOON).rows(NOON),
        check(() -> admin(sales, a -> a.deleteTopics(List.of(sales.topic().name())).all())),
        add(sales).expectFailure(UnknownTopicOrPartitionException.class, "does not host"));
  }

  @Test
  void expiredRecordsFailTheQuery(KafkaStream sales) {
    testStream(
        events(sales, Map.of()),
        Append(),
        add(sales, NOON).rows(NOON),
        stop(),
        add(sales, NOON, NOON, ONE),
        check(() -> expire(sales, 3)),
        start().expectFailure(IllegalStateException.class, "Cannot fetch offset 1 "));
  }

  @Test
  void expiredRecordsAreLostWithAWarningIfDataMayBeLost(KafkaStream sales) {
    try (CapturedLog log = CapturedLog.open()) {
      testStream(
          events(sales, Map.of("failOnDataLoss", "false")),
          Append(),
          add(sales, NOON).rows(NOON),
          stop(),
          add(sales, NOON, NOON, ONE),
          check(() -> expire(sales, 3)),
          start().rows(ONE));

      assertThat(log.messages()).anyMatch(message -> message.contains("Cannot fetch offset 1 "));
    }
  }

  @Test
  void aCrashLosesAndDoublesNothingInParquet(KafkaStream sales, TestSession session) {
    String output = session.newDirectory().resolve("output").toUri().toString();
    testStream(
        events(sales, Map.of()).writeStream().format("parquet").option("path", output),
        () -> session.spark().read().schema(FileSource.SCHEMA).parquet(output),
        add(sales, NOON).rows(NOON),
        crash().rows(NOON),
        crash(sales, ONE).rows(NOON, ONE),
        stop(),
        add(sales, NOON),
        start().rows(NOON, NOON, ONE));
  }

  @Test
  void aHundredThousandRecordsEndInTheRowsOfTheBatchQuery(KafkaStream sales, SparkSession spark) {
    List<String> lines =
        IntStream.range(0, 100_000)
            .mapToObj(
                i ->
                    "{\"event_time\":\"%s\",\"region\":\"r%d\",\"amount\":%s}"
                        .formatted(
                            NOON.getTimestamp(0).toInstant().plusMillis(400L * i),
                            i % 3,
                            i % 400 * 0.25))
            .toList();
    Dataset<Row> table =
        spark.read().schema(FileSource.SCHEMA).json(spark.createDataset(lines, Encoders.STRING()));
    Row[] totals = (Row[]) WindowedAggregation.buildQuery(table).collect();
    sales.addValues(lines.toArray(String[]::new));

    testStream(
        WindowedAggregation.buildQuery(events(sales, Map.of("maxOffsetsPerTrigger", "30000"))),
        Complete(),
        start().rows(totals).microBatches(4));
    assertThat(totals).hasSize(3 * 134);
  }

  private static void expire(KafkaStream sales, long before) {
    TopicPartition partition = new TopicPartition(sales.topic().name(), 0);
    admin(
        sales, a -> a.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(before))).all());
  }

  private static void admin(KafkaStream sales, Function<Admin, Future<?>> request) {
    try (Admin admin =
        Admin.create(Map.of("bootstrap.servers", sales.topic().bootstrapServers()))) {
      await(request.apply(admin));
    }
  }

  private static void send(KafkaStream sales, ProducerRecord<String, String> record) {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", sales.topic().bootstrapServers()),
            new StringSerializer(),
            new StringSerializer())) {
      await(producer.send(record));
    }
  }

  private static void await(Future<?> result) {
    try {
      result.get();
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  /** Spark computes no more of a column than the query uses. */
  @Test
  void aWrongTypeIsRejectedByAQueryThatDoesNotUseTheColumn(KafkaStream sales) {
    testStream(
        events(sales, Map.of()).select("region"),
        Append(),
        addValues(sales, value("eu").replace("1.0", "\"much\""), value("us")).rows(row("us")));
  }

  @Test
  void eachValueIsParsedOnce(KafkaStream sales, SparkSession spark) {
    sales.addValues(value("eu"), "no json");
    Dataset<Row> records =
        KafkaSource.readTable(
            spark, sales.topic().bootstrapServers(), sales.topic().name(), Map.of());
    Dataset<Row> events = KafkaSource.events(records).where("amount > 0");
    Dataset<Row> rejected = KafkaSource.rejected(records).where("offset > 0");

    assertThat(events.collectAsList()).containsExactly(NOON);
    assertThat(rejected.select("reason").collectAsList()).containsExactly(row("not JSON"));
    for (Dataset<Row> rows : List.of(events, rejected)) {
      assertThat(rows.queryExecution().executedPlan().toString()).containsOnlyOnce("judge(");
    }
  }

  @Test
  void withoutACheckpointItStartsWithTheFirstRecordOrWithTheNextOne(KafkaStream sales) {
    testStream(events(sales, Map.of()), Append(), add(sales, NOON).rows(NOON));
    testStream(
        events(sales, Map.of("startingOffsets", "latest")),
        Append(),
        start().rows(),
        add(sales, ONE).rows(ONE));
  }

  @Test
  void maxOffsetsPerTriggerLimitsTheMicroBatch(KafkaStream sales) {
    testStream(
        events(sales, Map.of("maxOffsetsPerTrigger", "2")),
        Append(),
        // Before there is any record the query runs one micro-batch without rows.
        start().rows().microBatches(1),
        add(sales, NOON, NOON, NOON, ONE, ONE).rows(NOON, NOON, NOON, ONE, ONE).microBatches(3));
    testStream(events(sales, Map.of()), Append(), addAllAtOnce(sales, NOON, ONE).microBatches(1));
  }
}
