package streamingdeepdive.lesson;

import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.Rows.window;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import streamingdeepdive.testkit.FileStream;

/** The totals of a stream of sales in a directory of Parquet files: what writes and reads them. */
record ParquetTotals(SparkSession spark, String output, String... partitionColumns) {
  Function<String, DataStreamWriter<Row>> finals(FileStream sales) {
    return checkpoint ->
        ParquetSink.buildQuery(
            WindowedAggregation.buildQuery(sales.toDF()), output, checkpoint, partitionColumns);
  }

  Function<String, DataStreamWriter<Row>> revisions(FileStream sales) {
    return checkpoint ->
        ParquetSink.buildUpdateQuery(
            WindowedAggregation.buildQuery(sales.toDF()), output, checkpoint, partitionColumns);
  }

  Dataset<Row> read() {
    return ParquetSink.read(spark, output);
  }

  Dataset<Row> latest() {
    return ParquetSink.latest(spark, output);
  }

  Dataset<Row> history() {
    return ParquetSink.history(spark, output);
  }

  /** A row of the history, of the window from 12:00 to 12:05. */
  static Row revision(String region, Double total, long batch) {
    return row(window("12:00", "12:05"), region, total, batch);
  }

  /** The part files on disk, read or not, relative to the output. */
  List<Path> parts() {
    Path directory = Path.of(new org.apache.hadoop.fs.Path(output).toUri().getPath());
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(file -> file.toString().endsWith(".parquet"))
          .map(directory::relativize)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
