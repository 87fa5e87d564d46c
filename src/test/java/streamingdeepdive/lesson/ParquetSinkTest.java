package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.List;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class ParquetSinkTest {
  private SparkSession spark;
  private ParquetTotals totals;
  private ParquetTotals totalsByDate;

  @BeforeEach
  void nameOutputs(TestSession session) {
    spark = session.spark();
    totals = new ParquetTotals(spark, session.newDirectory() + "/an output");
    totalsByDate = new ParquetTotals(spark, session.newDirectory() + "/an output", "date");
  }

  @Test
  void aTotalIsWrittenOnceWhenItIsFinal(FileStream sales) {
    testStream(
        totals.finals(sales),
        totals::read,
        add(sales, sale("12:01", "eu", 1.0)).rows(),
        add(sales, sale("12:14", "eu", 2.0), sale("12:03", "eu", 4.0)).rows().watermark("12:04"),
        add(sales, sale("12:15", "eu", 8.0)).rows(total("12:00", "12:05", "eu", 5.0)).state(2),
        restart().rows(total("12:00", "12:05", "eu", 5.0)),
        add(sales, sale("12:04", "eu", 16.0)).rows(total("12:00", "12:05", "eu", 5.0)).dropped(1),
        add(sales, sale("12:30", "eu", 32.0))
            .rows(
                total("12:00", "12:05", "eu", 5.0),
                total("12:10", "12:15", "eu", 2.0),
                total("12:15", "12:20", "eu", 8.0)));
  }

  @Test
  void theLatestRevisionOfATotalCounts(FileStream sales) {
    testStream(
        totals.revisions(sales),
        totals::latest,
        add(sales, sale("12:01", "eu", 1.0), sale("12:01", null, 1.0))
            .rows(total("12:00", "12:05", "eu", 1.0), total("12:00", "12:05", null, 1.0)),
        add(sales, sale("12:02", "eu", -3.0))
            .rows(total("12:00", "12:05", "eu", -2.0), total("12:00", "12:05", null, 1.0)),
        restart(),
        add(sales, sale("12:14", "us", null))
            .rows(
                total("12:00", "12:05", "eu", -2.0),
                total("12:00", "12:05", null, 1.0),
                total("12:10", "12:15", "us", null)));
  }

  @Test
  void theFileSinkDoesNotTakeUpdates(FileStream sales) {
    testStream(
        OutputModes.update(WindowedAggregation.buildQuery(sales.toDF()))
            .format("parquet")
            .option("path", totals.output()),
        start()
            .expectFailure(
                AnalysisException.class,
                "Data source parquet does not support Update output mode."));
  }

  /** Each would be missed: one of two rows of a key would be the latest. */
  @Test
  void revisionsOfOtherColumnsAreRefused(FileStream sales) {
    Dataset<Row> sums = WindowedAggregation.buildQuery(sales.toDF());
    for (Dataset<Row> other :
        List.of(
            sums.withColumn("currency", lit("EUR")),
            sums.withColumn("date", lit("2026-01-01")),
            sums.drop("region"),
            sums.withColumn("total_amount", col("total_amount").cast("string")))) {
      assertThatThrownBy(() -> ParquetSink.buildUpdateQuery(other, totals.output(), "file:/none"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("The sink keeps one row per key and takes the columns [region");
    }
    assertThatThrownBy(
            () ->
                ParquetSink.buildQuery(
                    sums.withColumn("Date", lit("2026-01-01")),
                    totals.output(),
                    totals.output() + " checkpoint",
                    "date"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("The query has a column date already");
  }
}
