package streamingdeepdive.recovery;

import static org.apache.spark.sql.functions.array;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.rand;
import static org.apache.spark.sql.functions.randn;
import static org.apache.spark.sql.functions.shuffle;
import static org.apache.spark.sql.functions.transform;
import static org.apache.spark.sql.functions.udf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.api.java.function.ReduceFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import streamingdeepdive.lesson.BadRecords;
import streamingdeepdive.lesson.Deduplication;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.KafkaSource;
import streamingdeepdive.lesson.SlidingWindows;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

@ExtendWith(StreamingExtension.class)
class QuerySignatureIT {
  static List<UnaryOperator<Dataset<Row>>> queries() {
    return List.of(
        WindowedAggregation::buildQuery,
        events -> WindowedAggregation.buildQuery(events, "11 minutes", "5 minutes"),
        events -> WindowedAggregation.buildQuery(events, "10 minutes", "6 minutes"),
        events -> WindowedAggregation.buildQuery(events.where(col("amount").gt(1))),
        events -> WindowedAggregation.buildQuery(events).where("total_amount > 1"),
        SlidingWindows::buildQuery,
        Deduplication::buildQuery,
        events -> Deduplication.buildQuery(events, "1 hour", "region"),
        events -> Deduplication.buildQueryWithinWatermark(events, "1 hour", "region"),
        events -> events.observe("seen", count(lit(1))),
        events -> events.select(BadRecords.judge(col("region"))),
        events -> KafkaSource.events(events.selectExpr("cast(region as binary) value")),
        events -> events.withColumn("amount", rand()),
        events -> events.withColumn("amount", randn()),
        events -> events.withColumn("region", expr("uuid()")),
        events -> events.withColumn("all", shuffle(array("region", "region"))),
        events -> events.sample(0.5),
        events -> events.sample(true, 0.5),
        events -> events.randomSplit(new double[] {0.25, 0.75})[0],
        events -> events.withColumn("all", transform(array("region"), x -> x)),
        events -> sql(events, "WITH e AS (SELECT * FROM %s) SELECT * FROM e"),
        events -> sql(events, "SELECT * FROM %s WHERE amount > (SELECT 1.0)"),
        events -> sql(events, "SELECT * FROM %s WHERE amount > (SELECT 2.0)"),
        events -> events.map(upper(), Encoders.STRING()).toDF("region"),
        events -> events.map(new Upper(), Encoders.STRING()).toDF("region"),
        events ->
            events
                .map(upper(), Encoders.STRING())
                .groupByKey(upper2(), Encoders.STRING())
                .reduceGroups((ReduceFunction<String>) (a, b) -> a)
                .toDF("a", "b"),
        events ->
            events.withColumn(
                "amount",
                udf((UDF1<Double, Double>) amount -> amount, DataTypes.DoubleType)
                    .apply(col("amount"))));
  }

  private static MapFunction<Row, String> upper() {
    return row -> row.getString(1);
  }

  private static MapFunction<String, String> upper2() {
    return name -> name;
  }

  private static final class Upper implements MapFunction<Row, String> {
    private static final long serialVersionUID = 1;

    @Override
    public String call(Row row) {
      return row.getString(1);
    }
  }

  private static Dataset<Row> sql(Dataset<Row> events, String query) {
    events.createOrReplaceTempView("events");
    return events.sparkSession().sql(query.formatted("events"));
  }

  /** Each looks like what differs from run to run. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "region = 'shop#%s'",
        "region = 'shop@%s'",
        "region = 'A$$Lambda$%s/0x0@0'",
        "region = 'A$$Lambda/0x%s'",
        "region = 'lambda x_%s'",
        "region = 'rand(%s)'",
        "region = 'Some(%s)'",
        "region IN ('shop#%s', 'eu')",
        "region LIKE 'shop#%s'",
        "map(region, array('shop#%s')) IS NOT NULL",
        "named_struct('shop#%s', region) IS NOT NULL",
        "named_struct('shop#1', 1, 'shop#2', 2).`shop#%s` > 1",
        "from_json(region, '`shop#%s` INT') IS NOT NULL",
        "from_json(region, 'a DATE', map('dateFormat', 'yyyy#%s')) IS NOT NULL",
        "region = (SELECT 'shop#%s')",
        "cast('2026-01-0%s' AS DATE) > event_time",
        "exists(array(region), x -> x = 'shop#%s')",
        "amount > %s"
      })
  void whatOnlyLooksLikeThatCounts(String condition, TestSession session) {
    Dataset<Row> events = events(session);

    assertThat(of(events.where(condition.replace("%s", "1"))))
        .isNotEqualTo(of(events.where(condition.replace("%s", "2"))));
  }

  @Test
  void namesThatOnlyLookLikeThatCount(TestSession session) {
    Dataset<Row> events = events(session);

    assertThat(
            Stream.of(
                    "shop#1",
                    "shop#2",
                    "shop@1",
                    "shop@2",
                    "shop",
                    "shop#",
                    "shop#1#1",
                    "lambda x_1")
                .flatMap(
                    name ->
                        Stream.of(
                            events.withColumn(name, col("region")),
                            events.withColumnRenamed("region", name),
                            events.groupBy(col("region").as(name)).count(),
                            events.as(name).where(col("region").equalTo(name)),
                            events.observe(name, count(lit(1)).as(name)))))
        .extracting(QuerySignatureIT::of)
        .doesNotHaveDuplicates();
  }

  @Test
  void aColumnIsNoText(TestSession session) {
    Dataset<Row> events = events(session).withColumn("eu", col("region"));

    assertThat(of(events.where("region = eu"))).isNotEqualTo(of(events.where("region = 'eu'")));
  }

  private static String of(Dataset<Row> query) {
    return QuerySignature.of(query, OutputMode.Append());
  }

  private static Dataset<Row> events(TestSession session) {
    return FileSource.read(session.spark(), session.newDirectory().toString());
  }

  /** Each time from another directory. */
  @ParameterizedTest
  @MethodSource("queries")
  void theSameQueryHasTheSameSignature(UnaryOperator<Dataset<Row>> query, TestSession session) {
    assertThat(QuerySignature.of(query.apply(events(session)), OutputMode.Append()))
        .isEqualTo(QuerySignature.of(query.apply(events(session)), OutputMode.Append()))
        .isNotEqualTo(QuerySignature.of(query.apply(events(session)), OutputMode.Update()));
  }

  @Test
  void anotherQueryHasAnotherSignature(TestSession session) {
    Dataset<Row> events = events(session);

    assertThat(queries())
        .extracting(query -> QuerySignature.of(query.apply(events), OutputMode.Append()))
        .doesNotHaveDuplicates();
  }

  /** A lambda's name on JDK 17, 21 and 25. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "MapElements a.B$$Lambda$2403/0x00007f2d8c@3b2c, x",
        "MapElements a.B$$Lambda/0x00007f2d8c@1f, x",
        "MapElements a.B$$Lambda/0x0@0, x"
      })
  void theAddressOfALambdaDoesNotCount(String operator) {
    assertThat(QuerySignature.withoutRun(operator)).isEqualTo("MapElements a.B$$Lambda, x");
  }

  @Test
  void theFirstStartKeepsItAndTheNextComparesIt(TestSession session) throws Exception {
    Path checkpoint = session.newDirectory();
    Dataset<Row> totals = WindowedAggregation.buildQuery(events(session));
    Dataset<Row> others = totals.where("region = 'eu'");
    String place = "file:" + checkpoint;
    require(others, checkpoint);
    require(totals, checkpoint);
    Files.createFile(Files.createDirectories(checkpoint.resolve("offsets")).resolve("0"));
    require(totals, checkpoint);

    assertThatThrownBy(() -> require(others, checkpoint))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "The checkpoint location "
                + place
                + " belongs to another query. It had 'Aggregate [window-T600000ms, region],"
                + " [window-T600000ms AS window-T600000ms, ...', this one has 'Filter (region ="
                + " 'eu')'. Start this one on a new"
                + " checkpoint with a new output; if you know that the change does not touch the"
                + " state, delete "
                + place
                + "/query-signature and start again.");

    Files.delete(checkpoint.resolve(QuerySignature.FILE));
    require(others, checkpoint);
  }

  private static void require(Dataset<Row> query, Path checkpoint) {
    QuerySignature.require(query, OutputMode.Update(), checkpoint.toString());
  }
}
