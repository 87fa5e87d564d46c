package streamingdeepdive.app;

import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.GenericRowWithSchema;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.types.StructType;

/** What a query made of input that was all there when it started. */
final class Delivery {
  private static final StructType COLUMNS =
      StructType.fromDDL(
          "query STRING, `micro-batches` INT, `rows put out` BIGINT, refused STRING");

  private Delivery() {}

  /** Runs the query until it has taken in everything, and returns a row to be printed. */
  static Row of(String name, DataStreamWriter<Row> writer, SparkSession spark, String checkpoint)
      throws Exception {
    StreamingQuery query;
    try {
      query = writer.format("noop").option("checkpointLocation", checkpoint).start();
    } catch (Exception e) {
      if (e instanceof AnalysisException) {
        return row(name, null, null, e.getMessage().lines().findFirst().orElseThrow());
      }
      throw e;
    }
    try {
      query.processAllAvailable();
    } finally {
      query.stop();
    }
    List<Long> batchIds =
        new QueryLog(spark, checkpoint, -1)
            .take(query)
            .map(QueryLog.Entry::batchIds)
            .orElse(List.of());
    long rows =
        Arrays.stream(query.recentProgress())
            .filter(progress -> batchIds.contains(progress.batchId()))
            .mapToLong(progress -> Math.max(0, progress.sink().numOutputRows()))
            .sum();
    return row(name, batchIds.size(), rows, null);
  }

  private static Row row(Object... values) {
    return new GenericRowWithSchema(values, COLUMNS);
  }
}
