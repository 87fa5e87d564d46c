package streamingdeepdive.lesson;

import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

/** Directories whose names are patterns to Spark. */
@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class ParquetSinkNamesIT {
  private SparkSession spark;
  private ParquetTotals totals;
  private ParquetTotals totalsByDate;

  @BeforeEach
  void nameOutputs(TestSession session) {
    spark = session.spark();
    totals = new ParquetTotals(spark, session.newDirectory() + "/an output");
    totalsByDate = new ParquetTotals(spark, session.newDirectory() + "/an output", "date");
  }

  /** Beside a directory that matches it as a pattern. */
  @ParameterizedTest
  @ValueSource(strings = {"out[1]", "out{1,2}", "out*", "out?", "out\\1"})
  void aNameIsNoPattern(String name, FileStream sales, TestSession session) {
    String place = session.newDirectory().toString();
    sales.addData(List.of(sale("12:01", "eu", 1.0)));
    sales.addData(List.of(sale("12:30", "eu", 2.0)));
    for (String output : List.of(place + "/out1", place + "/" + name)) {
      ParquetTotals finals = new ParquetTotals(spark, output + "/final");
      ParquetTotals revisions = new ParquetTotals(spark, output + "/latest", "date");
      testStream(
          finals.finals(sales), finals::read, start().rows(total("12:00", "12:05", "eu", 1.0)));
      testStream(
          revisions.revisions(sales),
          revisions::latest,
          start().rows(total("12:00", "12:05", "eu", 1.0), total("12:30", "12:35", "eu", 2.0)));
    }
  }
}
