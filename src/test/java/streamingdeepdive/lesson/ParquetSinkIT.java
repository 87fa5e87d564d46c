package streamingdeepdive.lesson;

import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.ParquetTotals.revision;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.Step;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

/** How the files lie, and directories whose names are patterns to Spark. */
@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class ParquetSinkIT {
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
  void theSameColumnsAreThereBeforeTheFirstMicroBatchAndAfter(FileStream sales) {
    List<Dataset<Row>> before = List.of(totals.read(), totals.latest(), totals.history());
    assertThat(before).allSatisfy(table -> assertThat(table.collectAsList()).isEmpty());

    Step[] steps = {add(sales, sale("12:01", "eu", 1.0)), add(sales, sale("13:01", "eu", 1.0))};
    testStream(totals.finals(sales), totals::read, steps);
    assertThat(totals.read().schema().simpleString())
        .isEqualTo(before.get(0).schema().simpleString())
        .isEqualTo(
            "struct<window:struct<start:timestamp,end:timestamp>,region:string,"
                + "total_amount:double>");

    totals = new ParquetTotals(spark, totals.output() + " of revisions");
    testStream(totals.revisions(sales), totals::latest, restart());
    assertThat(totals.latest().schema().simpleString())
        .isEqualTo(before.get(1).schema().simpleString())
        .isEqualTo(before.get(0).schema().simpleString());
    assertThat(totals.history().schema().simpleString())
        .isEqualTo(before.get(2).schema().simpleString())
        .endsWith("total_amount:double,batch:bigint>");
  }

  /** Beside a directory that matches it as a pattern. */
  @Test
  void aNameIsNoPattern(FileStream sales, TestSession session) {
    String place = session.newDirectory().toString();
    sales.addData(List.of(sale("12:01", "eu", 1.0)));
    sales.addData(List.of(sale("12:30", "eu", 2.0)));
    for (String output : List.of(place + "/out1a2", place + "/ou[t]{1,2}*?\\2")) {
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

  @Test
  void theFileSinkWritesAFileForAMicroBatchWithoutRowsUnlessByDate(FileStream sales) {
    testStream(
        totals.finals(sales),
        totals::read,
        add(sales, sale("12:01", "eu", 1.0)).rows().microBatches(2),
        check(() -> assertThat(totals.parts()).hasSize(2)));
    testStream(
        totalsByDate.finals(sales),
        totalsByDate::read,
        start().rows().microBatches(2),
        check(() -> assertThat(totalsByDate.parts()).isEmpty()));
  }

  /** The date is that of the window's start in UTC, whatever the session's time zone is. */
  @Test
  void bothCanBePartitionedByDate(FileStream sales, TestSession session) {
    spark.conf().set("spark.sql.session.timeZone", "Asia/Kathmandu");
    ParquetTotals revisions = new ParquetTotals(spark, session.newDirectory().toString(), "date");
    Row first = total("2026-01-01T23:55", "2026-01-02T00:00", "eu", 1.0);
    Row second = total("2026-01-02T00:00", "2026-01-02T00:05", "eu", 2.0);
    Row third = total("2026-01-02T01:00", "2026-01-02T01:05", "eu", 4.0);
    testStream(
        totalsByDate.finals(sales),
        totalsByDate::read,
        add(sales, sale("2026-01-01T23:59:59", "eu", 1.0), sale("2026-01-02T00:00", "eu", 2.0)),
        add(sales, sale("2026-01-02T01:00", "eu", 4.0)).rows(first, second));
    testStream(revisions.revisions(sales), revisions::latest, start().rows(first, second, third));

    assertThat(totalsByDate.parts())
        .extracting(part -> part.getParent().toString())
        .containsExactlyInAnyOrder("date=2026-01-01", "date=2026-01-02");
    assertThat(revisions.parts())
        .extracting(part -> part.getParent().toString())
        .contains("batch=0/date=2026-01-01", "batch=0/date=2026-01-02");
  }

  /** The number of partitions is that of the first start. */
  @Test
  void aMicroBatchWritesAtMostOneFilePerShufflePartition(FileStream sales) {
    Row[] ofManyRegions =
        IntStream.range(0, 50).mapToObj(i -> sale("12:01", "region " + i, 1.0)).toArray(Row[]::new);
    spark.conf().set("spark.sql.shuffle.partitions", "3");
    testStream(
        totals.revisions(sales),
        () -> totals.history().select("batch").distinct(),
        add(sales, ofManyRegions).rows(row(0L)).microBatches(2),
        check(() -> spark.conf().set("spark.sql.shuffle.partitions", "1")),
        restart(),
        add(sales, ofManyRegions).rows(row(0L), row(2L)).microBatches(1));
    assertThat(directoriesOfParts())
        .containsExactlyInAnyOrder(
            "batch=0", "batch=0", "batch=0", "batch=1", "batch=2", "batch=2", "batch=2");
  }

  private List<String> directoriesOfParts() {
    return totals.parts().stream().map(part -> part.getParent().toString()).toList();
  }

  /** Its directory has a part file without rows, and none by date. */
  @Test
  void aMicroBatchWithoutRowsIsCompleteAndHasNoRevision(FileStream sales) {
    testStream(
        totals.revisions(sales),
        totals::history,
        add(sales, sale("12:01", "eu", 1.0)).microBatches(2),
        add(sales, sale("12:02", "eu", 1.0))
            .rows(revision("eu", 1.0, 0), revision("eu", 2.0, 2))
            .microBatches(2),
        check(
            () ->
                assertThat(totals.parts())
                    .extracting(part -> part.getParent().toString())
                    .containsOnly("batch=0", "batch=1", "batch=2", "batch=3")
                    .containsOnlyOnce("batch=1", "batch=3")));
    testStream(
        totalsByDate.revisions(sales),
        totalsByDate::history,
        start().rows(revision("eu", 1.0, 0), revision("eu", 2.0, 1)).microBatches(3),
        check(
            () ->
                assertThat(totalsByDate.parts())
                    .extracting(part -> part.getParent().toString())
                    .containsExactlyInAnyOrder(
                        "batch=0/date=2026-01-01", "batch=1/date=2026-01-01")));
  }

  @Test
  void aStreamWithoutRowsHasNoRevision(FileStream sales) {
    testStream(
        totalsByDate.revisions(sales), totalsByDate::history, add(sales).rows().microBatches(1));
  }

  @Test
  void theHistoryHasEveryRevision(FileStream sales) {
    testStream(
        totals.revisions(sales),
        totals::history,
        add(sales, sale("12:01", "eu", 1.0)).rows(revision("eu", 1.0, 0)).microBatches(2),
        add(sales, sale("12:01", "eu", 2.0), sale("12:01", "us", 4.0))
            .rows(revision("eu", 1.0, 0), revision("eu", 3.0, 2), revision("us", 4.0, 2))
            .microBatches(1),
        add(sales, sale("12:01", "us", null))
            .rows(
                revision("eu", 1.0, 0),
                revision("eu", 3.0, 2),
                revision("us", 4.0, 2),
                revision("us", 4.0, 3)));
  }
}
