package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.date_from_unix_date;
import static org.apache.spark.sql.functions.floor;
import static org.apache.spark.sql.functions.max_by;
import static org.apache.spark.sql.functions.unix_seconds;

import java.util.Map;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.OutputMode;
import streamingdeepdive.app.StreamingApp;
import streamingdeepdive.recovery.BatchDirectories;
import streamingdeepdive.recovery.Checkpoint;
import streamingdeepdive.recovery.FileSinkOutput;

/** X. */
public final class ParquetSink {
  private static final String TOTALS =
      "window STRUCT<start: TIMESTAMP, end: TIMESTAMP>, region STRING, total_amount DOUBLE";

  private ParquetSink() {}

  public static DataStreamWriter<Row> buildQuery(
      Dataset<Row> totals, String output, String checkpoint) {
    return buildQuery(totals, output, checkpoint, false);
  }

  public static DataStreamWriter<Row> buildQuery(
      Dataset<Row> totals, String output, String checkpoint, boolean byDate) {
    Checkpoint start = Checkpoint.at(totals.sparkSession(), checkpoint);
    start.requireUsable(totals, output);
    FileSinkOutput.at(totals.sparkSession(), output).requireWrittenFrom(start);
    DataStreamWriter<Row> writer =
        (byDate ? withDate(totals) : totals)
            .writeStream()
            .outputMode(OutputMode.Append())
            .format("parquet")
            .option("path", output)
            .option("checkpointLocation", checkpoint);
    return byDate ? writer.partitionBy("date") : writer;
  }

  public static Dataset<Row> read(SparkSession spark, String output) {
    return FileSinkOutput.at(spark, output).read(TOTALS);
  }

  public static DataStreamWriter<Row> buildUpdateQuery(
      Dataset<Row> totals, String output, String checkpoint) {
    return buildUpdateQuery(totals, output, checkpoint, false);
  }

  public static DataStreamWriter<Row> buildUpdateQuery(
      Dataset<Row> totals, String output, String checkpoint, boolean byDate) {
    Checkpoint start = Checkpoint.at(totals.sparkSession(), checkpoint);
    start.requireUsable(totals, output);
    BatchDirectories.at(totals.sparkSession(), output).requireWrittenFrom(start);
    String[] partitionColumns = byDate ? new String[] {"date"} : new String[0];
    VoidFunction2<Dataset<Row>, Long> write =
        (batch, batchId) ->
            BatchDirectories.at(batch.sparkSession(), output)
                .write(batch, batchId, partitionColumns);
    return (byDate ? withDate(totals) : totals)
        .writeStream()
        .outputMode(OutputMode.Update())
        .foreachBatch(write)
        .option("checkpointLocation", checkpoint);
  }

  public static Dataset<Row> history(SparkSession spark, String output) {
    return BatchDirectories.at(spark, output).read(TOTALS);
  }

  public static Dataset<Row> latest(SparkSession spark, String output) {
    return history(spark, output)
        .groupBy("window", "region")
        .agg(max_by(col("total_amount"), col("batch")).as("total_amount"));
  }

  private static Dataset<Row> withDate(Dataset<Row> totals) {
    return totals.withColumn(
        "date",
        date_from_unix_date(floor(unix_seconds(col("window.start")).divide(86400)).cast("int")));
  }

  /**
   * Writes the totals both ways and prints what the readers find.
   *
   * @param args see {@code --help}
   */
  public static void main(String[] args) {
    StreamingApp.runWithOutput(
        ParquetSink.class,
        "Writes the windowed totals to Parquet: once when they are final, and each revision.",
        args,
        app -> {
          SparkSession spark = app.spark();
          Dataset<Row> totals = WindowedAggregation.buildQuery(FileSource.read(spark, app.input()));
          String fin = app.output("final");
          String revisions = app.output("revisions");
          app.printSinks(
              Map.of(
                  "final",
                  new StreamingApp.Sink(
                      buildQuery(totals, fin, app.checkpoint("final")), () -> read(spark, fin)),
                  "latest",
                  new StreamingApp.Sink(
                      buildUpdateQuery(totals, revisions, app.checkpoint("latest")),
                      () -> latest(spark, revisions))));
          app.print("every revision", history(spark, revisions));
        });
  }
}
