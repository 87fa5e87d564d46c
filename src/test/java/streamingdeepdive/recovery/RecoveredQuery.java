package streamingdeepdive.recovery;

import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import streamingdeepdive.lesson.ArbitraryState;
import streamingdeepdive.lesson.Deduplication;
import streamingdeepdive.lesson.DeltaSink;
import streamingdeepdive.lesson.ParquetSink;
import streamingdeepdive.lesson.SlidingWindows;
import streamingdeepdive.lesson.WindowedAggregation;

/** The queries that are killed: what they write, and the same rows from a batch query. */
enum RecoveredQuery {
  FINAL_TOTALS(WindowedAggregation::buildQuery, ParquetSink::buildQuery, ParquetSink::read),
  REVISIONS(WindowedAggregation::buildQuery, ParquetSink::buildUpdateQuery, ParquetSink::latest),
  SLIDING_TOTALS(SlidingWindows::buildQuery, ParquetSink::buildQuery, ParquetSink::read),
  DISTINCT_EVENTS(
      Deduplication::buildQuery,
      ParquetSink::buildQuery,
      (spark, output) -> spark.read().parquet(output)),
  /** A minute without a sale: half an hour never goes by. */
  ALERTS(
      events -> ArbitraryState.buildQuery(events, "10 minutes", Duration.ofMinutes(1)),
      ParquetSink::buildQuery,
      (spark, output) -> spark.read().parquet(output)),
  DELTA_FINAL_TOTALS(WindowedAggregation::buildQuery, DeltaSink::buildQuery, DeltaSink::read),
  DELTA_LATEST_TOTALS(
      WindowedAggregation::buildQuery, DeltaSink::buildUpdateQuery, DeltaSink::read);

  static final List<RecoveredQuery> ON_PARQUET =
      List.of(FINAL_TOTALS, REVISIONS, SLIDING_TOTALS, DISTINCT_EVENTS, ALERTS);

  private interface Sink {
    DataStreamWriter<Row> of(Dataset<Row> rows, String output, String checkpoint);
  }

  private final UnaryOperator<Dataset<Row>> query;
  private final Sink sink;
  private final BiFunction<SparkSession, String, Dataset<Row>> reader;

  RecoveredQuery(
      UnaryOperator<Dataset<Row>> query,
      Sink sink,
      BiFunction<SparkSession, String, Dataset<Row>> reader) {
    this.query = query;
    this.sink = sink;
    this.reader = reader;
  }

  /** The query, over a stream or over a table. */
  Dataset<Row> rows(Dataset<Row> events) {
    return query.apply(events);
  }

  DataStreamWriter<Row> write(Dataset<Row> events, String output, String checkpoint) {
    return sink.of(rows(events), output, checkpoint);
  }

  Dataset<Row> read(SparkSession spark, String output) {
    return reader.apply(spark, output);
  }
}
