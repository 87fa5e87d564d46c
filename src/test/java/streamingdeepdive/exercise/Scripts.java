package streamingdeepdive.exercise;

import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.apache.spark.sql.streaming.OutputMode.Update;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.Rows.window;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.crash;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import streamingdeepdive.testkit.InMemoryStream;

/** The scripts of the exercises, as their Javadoc shows them. */
final class Scripts {
  private Scripts() {}

  static void slidingTotals(InMemoryStream sales, Dataset<Row> query) {
    testStream(
        query,
        Update(),
        add(sales, sale("12:03", "eu", 10.0))
            .rows(total("11:55", "12:05", "eu", 10.0), total("12:00", "12:10", "eu", 10.0)),
        add(sales, sale("12:05", "us", 2.0), sale("12:09", "eu", 1.0))
            .rows(
                total("12:00", "12:10", "us", 2.0),
                total("12:05", "12:15", "us", 2.0),
                total("12:00", "12:10", "eu", 11.0),
                total("12:05", "12:15", "eu", 1.0)),
        add(sales, sale("12:17", "eu", 4.0))
            .rows(total("12:10", "12:20", "eu", 4.0), total("12:15", "12:25", "eu", 4.0))
            .watermark("12:07"),
        add(sales, sale("12:04", "eu", 5.0)).rows(total("12:00", "12:10", "eu", 16.0)).dropped(1));
  }

  static void distinctRegions(InMemoryStream sales, Dataset<Row> query) {
    testStream(
        query,
        Append(),
        add(sales, sale("12:01", "eu", 1.0), sale("12:02", "us", 1.0), sale("12:04", "eu", 1.0))
            .rows(),
        add(sales, sale("12:03", "br", 1.0), sale("12:06", "eu", 1.0)).rows(),
        add(sales, sale("12:15", "us", 1.0)).rows(row(window("12:00", "12:05"), 3L)),
        add(sales, sale("12:02", "ap", 1.0)).rows(),
        add(sales, sale("12:20", "us", 1.0)).rows(row(window("12:05", "12:10"), 1L)));
  }

  static void sessions(InMemoryStream sales, Dataset<Row> query) {
    testStream(
        query,
        Append(),
        add(sales, sale("12:01", "eu", 1.0), sale("12:02", "us", 100.0)).rows(),
        add(sales, sale("12:10", "eu", 1.0)).rows().state(3),
        add(sales, sale("12:05:30", "eu", 1.0)).rows().state(2),
        add(sales, sale("12:28", "us", 1.0))
            .rows(
                row(window("12:01", "12:15"), "eu", 3L), row(window("12:02", "12:17"), "us", 1L)));
  }

  static void replayedBatches(InMemoryStream sales, String directory, DataStreamWriter<Row> query) {
    testStream(
        query,
        () -> rowsIn(directory),
        add(sales, sale("12:01", "eu", 1.0)).rows(sale("12:01", "eu", 1.0)),
        crash(sales, sale("12:02", "us", 2.0))
            .rows(sale("12:01", "eu", 1.0), sale("12:02", "us", 2.0)),
        add(sales, sale("12:01", "eu", 1.0))
            .rows(sale("12:01", "eu", 1.0), sale("12:02", "us", 2.0), sale("12:01", "eu", 1.0)));
  }

  static void lateSales(InMemoryStream sales, Dataset<Row> query) {
    testStream(
        query,
        Append(),
        add(sales, sale("12:01", "eu", 1.0)).rows(),
        add(sales, sale("12:18", "us", 2.0)).rows().watermark("12:08"),
        add(sales, sale("12:06", "eu", 4.0)).rows(),
        add(sales, sale("12:04", "eu", 8.0)).rows(sale("12:04", "eu", 8.0)),
        restart(),
        add(sales, sale("12:19", "us", 1.0), sale("12:02", "us", 16.0))
            .rows(sale("12:02", "us", 16.0)));
  }

  /** The rows below a directory, however its directories are named. */
  private static Dataset<Row> rowsIn(String directory) {
    SparkSession spark = SparkSession.active();
    return Files.exists(Path.of(directory))
        ? spark
            .read()
            .option("recursiveFileLookup", true)
            .parquet(directory)
            .select("event_time", "region", "amount")
        : spark.emptyDataFrame();
  }
}
