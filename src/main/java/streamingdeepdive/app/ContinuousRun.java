package streamingdeepdive.app;

import java.util.List;
import java.util.UUID;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;

/** Runs a continuous query, which tells neither its progress nor when it has nothing to do. */
final class ContinuousRun {
  private ContinuousRun() {}

  /** Runs the query until it has put out as many rows as the batch query has, and returns these. */
  static List<Row> rows(DataStreamWriter<Row> writer, Dataset<Row> table) throws Exception {
    String name = "continuous_" + UUID.randomUUID().toString().replace('-', '_');
    StreamingQuery query = writer.format("memory").queryName(name).start();
    try {
      Dataset<Row> rows = query.sparkSession().table(name);
      long expected = table.count();
      while (rows.count() < expected && query.isActive()) {
        query.awaitTermination(1);
      }
      return rows.collectAsList();
    } finally {
      query.stop();
      query.sparkSession().catalog().dropTempView(name);
    }
  }

  /** Returns when the query ends, which is when the process is told to stop. */
  static void follow(DataStreamWriter<Row> writer, StopSignal signal) throws Exception {
    StreamingQuery query = writer.format("console").option("truncate", "false").start();
    signal.stops(query::stop);
    try {
      query.awaitTermination();
    } finally {
      signal.queriesEnded();
    }
  }
}
