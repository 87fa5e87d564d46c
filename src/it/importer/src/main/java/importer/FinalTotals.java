package importer;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.ParquetSink;
import streamingdeepdive.lesson.WindowedAggregation;

/** A program that is built of imported queries, on a session of its own. */
final class FinalTotals {
  private FinalTotals() {}

  static void run(SparkSession spark, String input, String output, String checkpoint)
      throws Exception {
    Dataset<Row> totals = WindowedAggregation.buildQuery(FileSource.read(spark, input));
    StreamingQuery query =
        ParquetSink.buildQuery(totals, output, checkpoint, "region")
            .trigger(Trigger.AvailableNow())
            .start();
    query.awaitTermination();
  }
}
