package streamingdeepdive.trap;

import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.OutputModes;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.Step;
import streamingdeepdive.testkit.StreamingExtension;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class UnfinishedBatchTest {
  private static final int REGIONS = 12;

  /** Enough groups that each partition of the state has some. */
  private static Row[] salesOf(String time) {
    return IntStream.range(0, REGIONS).mapToObj(i -> sale(time, "r" + i, 1.0)).toArray(Row[]::new);
  }

  private static DataStreamWriter<Row> query(
      InMemoryStream sales, VoidFunction2<Dataset<Row>, Long> sink) {
    return OutputModes.update(WindowedAggregation.buildQuery(sales.toDF())).foreachBatch(sink);
  }

  static Stream<Named<VoidFunction2<Dataset<Row>, Long>>> mistakes() {
    return Stream.of(
        mistake("take", (batch, id) -> batch.takeAsList(1)),
        mistake("show", (batch, id) -> batch.showString(1, 0, false)),
        mistake("limit", (batch, id) -> batch.limit(1).collectAsList()),
        mistake("isEmpty", (batch, id) -> batch.isEmpty()),
        mistake("persist before take", (batch, id) -> batch.persist().takeAsList(1)));
  }

  private static Named<VoidFunction2<Dataset<Row>, Long>> mistake(
      String name, VoidFunction2<Dataset<Row>, Long> sink) {
    return Named.of(name, sink);
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void whatDoesNotReadItsWholeBatchDies(
      VoidFunction2<Dataset<Row>, Long> sink, InMemoryStream sales) {
    testStream(query(sales, sink), dies(sales));
  }

  @Test
  void soDoesTheMistake(InMemoryStream sales) {
    testStream(
        UnfinishedBatch.firstRow(WindowedAggregation.buildQuery(sales.toDF()), rows -> {}),
        dies(sales));
  }

  /** The micro-batch of the data is followed by that of the watermark. */
  private static Step dies(InMemoryStream sales) {
    return add(sales, salesOf("12:01"))
        .expectFailure(IllegalStateException.class, "Error reading delta file");
  }

  @Test
  void ifTheLastPartitionAloneHasRowsTheQueryLives(SparkSession spark, InMemoryStream sales) {
    spark.conf().set("spark.sql.shuffle.partitions", "1");
    testStream(
        query(sales, (batch, id) -> batch.takeAsList(1)),
        add(sales, salesOf("12:01")).state(REGIONS),
        add(sales, salesOf("12:02")).state(REGIONS));
  }

  @Test
  void aBatchLeftOutIsMissedByTheNextOne(InMemoryStream sales) {
    VoidFunction2<Dataset<Row>, Long> allButTheSecond =
        (batch, id) -> {
          if (id != 1) {
            batch.collectAsList();
          }
        };
    testStream(query(sales, allButTheSecond), add(sales, salesOf("12:01")), dies(sales));
  }

  @Test
  void withNoActionNoRowIsEverRead(InMemoryStream sales) {
    VoidFunction2<Dataset<Row>, Long> noAction = (batch, id) -> {};
    testStream(
        query(sales, noAction),
        add(sales, salesOf("12:01")).state(0),
        add(sales, salesOf("18:01")).state(0).watermark("1970-01-01T00:00"));
  }

  static Stream<Named<BiFunction<Dataset<Row>, Consumer<List<Row>>, DataStreamWriter<Row>>>>
      cures() {
    return Stream.of(
        Named.of("all rows", UnfinishedBatch::allRows),
        Named.of("computed once", UnfinishedBatch::computedOnce));
  }

  @ParameterizedTest
  @MethodSource("cures")
  void theCuresHandOverEveryRowOnce(
      BiFunction<Dataset<Row>, Consumer<List<Row>>, DataStreamWriter<Row>> cure,
      InMemoryStream sales) {
    List<Row> rows = new ArrayList<>();
    testStream(
        cure.apply(WindowedAggregation.buildQuery(sales.toDF()), rows::addAll),
        add(sales, salesOf("12:01")).updated(12).state(12),
        // The watermark stays: no no-data micro-batch follows.
        add(sales, sale("12:00", "r3", 2.0)).updated(1).state(12));
    assertThat(rows).hasSize(REGIONS + 1).endsWith(total("12:00", "12:05", "r3", 3.0));
  }

  @Test
  void twoActionsDoubleTheStateThatIsReported(InMemoryStream sales) {
    List<Row> rows = new ArrayList<>();
    testStream(
        UnfinishedBatch.computedTwice(WindowedAggregation.buildQuery(sales.toDF()), rows::addAll),
        add(sales, salesOf("12:01")).updated(24),
        add(sales, sale("12:00", "r3", 2.0)).updated(2).state(24));
    assertThat(rows).hasSize(REGIONS + 1).endsWith(total("12:00", "12:05", "r3", 3.0));
  }

  @Test
  void withoutAShuffleTheyReadTheSourceTwice(SparkSession spark, InMemoryStream sales) {
    testStream(
        UnfinishedBatch.computedTwice(sales.toDF(), rows -> {}),
        add(sales, salesOf("12:01")),
        check(() -> assertThat(rowsRead(spark)).isEqualTo(24)));
    testStream(
        UnfinishedBatch.computedOnce(sales.toDF(), rows -> {}),
        add(sales, salesOf("12:02")),
        check(() -> assertThat(rowsRead(spark)).isEqualTo(12)));
  }

  private static long rowsRead(SparkSession spark) {
    return Arrays.stream(spark.streams().active()[0].recentProgress())
        .mapToLong(StreamingQueryProgress::numInputRows)
        .max()
        .orElse(0);
  }
}
