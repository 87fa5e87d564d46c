package streamingdeepdive.trap;

import static org.apache.spark.sql.streaming.OutputMode.Append;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.addAllAtOnce;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.function.BiFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.Step;
import streamingdeepdive.testkit.StreamingExtension;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class UnlimitedBacklogTest {
  private static void script(
      BiFunction<SparkSession, String, Dataset<Row>> read,
      SparkSession spark,
      FileStream sales,
      Step... steps) {
    testStream(
        WindowedAggregation.buildQuery(read.apply(spark, sales.directory())), Append(), steps);
  }

  /** Two files behind the one that closes the first window, a sale for it. */
  private static Step backlog(FileStream sales) {
    return addAllAtOnce(
        sales,
        sale("12:01", "eu", 1.0),
        sale("12:15", "eu", 2.0),
        sale("12:16", "eu", 4.0),
        sale("12:02", "eu", 8.0));
  }

  @Test
  void atOnceNothingIsLate(SparkSession spark, FileStream sales) {
    script(
        UnlimitedBacklog::readAtOnce,
        spark,
        sales,
        backlog(sales).rows(total("12:00", "12:05", "eu", 9.0)).dropped(0).microBatches(2));
  }

  @Test
  void oneByOneTheLateRowIsDropped(SparkSession spark, FileStream sales) {
    script(
        UnlimitedBacklog::readOneByOne,
        spark,
        sales,
        backlog(sales).rows(total("12:00", "12:05", "eu", 1.0)).dropped(1).microBatches(4));
  }

  @Test
  void latestFirstTheBacklogIsLate(SparkSession spark, FileStream sales) {
    script(
        UnlimitedBacklog::readLatestFirst,
        spark,
        sales,
        addAllAtOnce(
                sales,
                sale("11:01", "eu", 1.0),
                sale("11:11", "eu", 2.0),
                sale("11:21", "eu", 4.0),
                sale("12:15", "eu", 8.0),
                sale("12:16", "eu", 16.0))
            .rows()
            .dropped(3)
            .state(1));
  }

  /**
   * The files of a backlog follow each other at once; a row is judged by the watermark before the
   * last file.
   */
  @Test
  void oneByOneABacklogKeepsWhatFilesThatLandOneByOneLose(
      SparkSession spark, FileStream backlog, FileStream stepwise) {
    Row first = sale("12:01", "eu", 1.0);
    Row closes = sale("12:15", "eu", 2.0);
    Row late = sale("12:02", "eu", 8.0);

    script(
        UnlimitedBacklog::readOneByOne,
        spark,
        backlog,
        addAllAtOnce(backlog, first, closes, late)
            .rows(total("12:00", "12:05", "eu", 9.0))
            .dropped(0));
    script(
        UnlimitedBacklog::readOneByOne,
        spark,
        stepwise,
        add(stepwise, first),
        add(stepwise, closes).rows(total("12:00", "12:05", "eu", 1.0)),
        add(stepwise, late).rows().dropped(1));
  }

  @Test
  void forOneStatefulOperatorSparkCanJudgeBothAlike(
      SparkSession spark, FileStream backlog, FileStream stepwise) {
    spark.conf().set("spark.sql.streaming.statefulOperator.allowMultiple", "false");
    Row first = sale("12:01", "eu", 1.0);
    Row closes = sale("12:15", "eu", 2.0);
    Row late = sale("12:02", "eu", 8.0);

    script(
        UnlimitedBacklog::readOneByOne,
        spark,
        backlog,
        addAllAtOnce(backlog, first, closes, late)
            .rows(total("12:00", "12:05", "eu", 1.0))
            .dropped(1));
    script(
        UnlimitedBacklog::readOneByOne,
        spark,
        stepwise,
        add(stepwise, first),
        add(stepwise, closes).rows(total("12:00", "12:05", "eu", 1.0)),
        add(stepwise, late).rows().dropped(1));
  }
}
