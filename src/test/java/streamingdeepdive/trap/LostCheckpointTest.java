package streamingdeepdive.trap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static streamingdeepdive.testkit.Rows.at;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.Rows.window;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.fromCheckpoint;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.stop;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.apache.hadoop.fs.FileUtil;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.Step;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class LostCheckpointTest {
  @FunctionalInterface
  private interface Sink {
    DataStreamWriter<Row> write(Dataset<Row> totals, String output, String checkpoint);
  }

  private static final Row FIRST = row(window("12:00", "12:05"), "eu", 1.0);
  private static final Row SECOND = row(window("12:20", "12:25"), "eu", 2.0);

  private SparkSession spark;
  private Path output;
  private Path checkpoint;

  @BeforeEach
  void nameOutput(TestSession session) {
    spark = session.spark();
    output = session.newDirectory().resolve("output");
  }

  private void run(Sink sink, FileStream sales, Step... steps) {
    testStream(
        location -> {
          checkpoint = Path.of(URI.create(location));
          return sink.write(
              WindowedAggregation.buildQuery(sales.toDF()), output.toString(), location);
        },
        () ->
            Files.exists(output) ? spark.read().parquet(output.toString()) : spark.emptyDataFrame(),
        steps);
  }

  private static Row sale(String time, double amount) {
    return row(at(time), "eu", amount);
  }

  private static Step delete(Supplier<Path> directory) {
    return check(() -> FileUtil.fullyDelete(directory.get().toFile()));
  }

  /** Its log has the micro-batches 0 to 3; the sales of the new 0 to 3 are not even added up. */
  @Test
  void withoutTheCheckpointTheFileSinkPassesOverAsManyMicroBatches(FileStream sales) {
    run(
        LostCheckpoint::buildUnguardedQuery,
        sales,
        add(sales, sale("12:00", 1.0)).rows().microBatches(2),
        add(sales, sale("12:20", 2.0)).rows(FIRST).microBatches(2),
        stop(),
        delete(() -> checkpoint),
        start().rows(FIRST).microBatches(2).state(0),
        add(sales, sale("12:40", 4.0)).rows(FIRST).microBatches(1).state(0),
        add(sales, sale("13:00", 8.0)).rows(FIRST).microBatches(1).state(0));
  }

  @Test
  void thenTheQueryDiesOfItsMissingState(FileStream sales) {
    run(
        LostCheckpoint::buildUnguardedQuery,
        sales,
        add(sales, sale("12:00", 1.0)).rows().microBatches(2),
        stop(),
        delete(() -> checkpoint),
        add(sales, sale("12:20", 2.0)),
        start().rows().microBatches(2),
        add(sales, sale("12:40", 4.0))
            .expectFailure(IllegalStateException.class, "Error reading delta file"));
  }

  @Test
  void withoutTheCheckpointAnAppendingForeachBatchDoublesRows(FileStream sales) {
    run(
        LostCheckpoint::buildAppendingQuery,
        sales,
        add(sales, sale("12:00", 1.0)).rows(),
        add(sales, sale("12:20", 2.0)).rows(FIRST),
        stop(),
        delete(() -> checkpoint),
        start().rows(FIRST, FIRST),
        add(sales, sale("12:40", 4.0)).rows(FIRST, FIRST, SECOND));
  }

  @Test
  void withoutTheOutputTheQueryGoesOnAndCannotBeRead(FileStream sales) {
    testStream(
        location ->
            LostCheckpoint.buildUnguardedQuery(
                WindowedAggregation.buildQuery(sales.toDF()), output.toString(), location),
        spark::emptyDataFrame,
        add(sales, sale("12:00", 1.0)),
        stop(),
        delete(() -> output),
        add(sales, sale("12:20", 2.0)),
        start().microBatches(2));

    assertThatThrownBy(() -> spark.read().parquet(output.toString()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("_spark_metadata/0 doesn't exist");
  }

  @Test
  void aCheckpointThatIsMovedGoesOn(FileStream sales, TestSession session) {
    Path moved = session.newDirectory().resolve("moved");
    run(
        LostCheckpoint::buildQuery,
        sales,
        add(sales, sale("12:00", 1.0)),
        add(sales, sale("12:20", 2.0)).rows(FIRST),
        stop(),
        check(() -> assertThat(checkpoint.toFile().renameTo(moved.toFile())).isTrue()));
    run(
        LostCheckpoint::buildQuery,
        sales,
        fromCheckpoint(moved),
        start().rows(FIRST),
        add(sales, sale("12:40", 4.0)).rows(FIRST, SECOND));
  }

  @Test
  void theGuardRefusesToStartWithoutEither(FileStream sales) {
    run(
        LostCheckpoint::buildQuery,
        sales,
        add(sales, sale("12:00", 1.0)),
        add(sales, sale("12:20", 2.0)).rows(FIRST),
        stop(),
        delete(() -> checkpoint),
        start().expectFailure(IllegalStateException.class, "is ahead of the checkpoint"));
    run(
        LostCheckpoint::buildQuery,
        sales,
        start().expectFailure(IllegalStateException.class, "is ahead of the checkpoint"),
        delete(() -> output),
        start().rows(FIRST),
        stop(),
        delete(() -> output),
        start().expectFailure(IllegalStateException.class, "lacks what was written from"));
  }
}
