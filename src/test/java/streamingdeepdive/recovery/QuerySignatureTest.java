package streamingdeepdive.recovery;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.rand;
import static org.apache.spark.sql.functions.udf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.Dataset;
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
class QuerySignatureTest {
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
        events ->
            events.withColumn(
                "amount",
                udf((UDF1<Double, Double>) amount -> amount, DataTypes.DoubleType)
                    .apply(col("amount"))));
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
                + " eu)'. Start this one on a new"
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
