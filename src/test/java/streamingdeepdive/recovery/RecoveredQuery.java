package streamingdeepdive.recovery;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import streamingdeepdive.lesson.Deduplication;
import streamingdeepdive.lesson.ParquetSink;
import streamingdeepdive.lesson.SlidingWindows;
import streamingdeepdive.lesson.WindowedAggregation;

/** The queries that are killed: what they write, and the same rows from a batch query. */
enum RecoveredQuery {
  FINAL_TOTALS {
    @Override
    Dataset<Row> rows(Dataset<Row> events) {
      return WindowedAggregation.buildQuery(events);
    }
  },

  REVISIONS {
    @Override
    Dataset<Row> rows(Dataset<Row> events) {
      return WindowedAggregation.buildQuery(events);
    }

    @Override
    DataStreamWriter<Row> write(Dataset<Row> events, String output, String checkpoint) {
      return ParquetSink.buildUpdateQuery(rows(events), output, checkpoint);
    }

    @Override
    Dataset<Row> read(SparkSession spark, String output) {
      return ParquetSink.latest(spark, output);
    }
  },

  SLIDING_TOTALS {
    @Override
    Dataset<Row> rows(Dataset<Row> events) {
      return SlidingWindows.buildQuery(events);
    }
  },

  DISTINCT_EVENTS {
    @Override
    Dataset<Row> rows(Dataset<Row> events) {
      return Deduplication.buildQuery(events);
    }

    @Override
    Dataset<Row> read(SparkSession spark, String output) {
      return spark.read().parquet(output);
    }
  };

  /** The query, over a stream or over a table. */
  abstract Dataset<Row> rows(Dataset<Row> events);

  DataStreamWriter<Row> write(Dataset<Row> events, String output, String checkpoint) {
    return ParquetSink.buildQuery(rows(events), output, checkpoint);
  }

  Dataset<Row> read(SparkSession spark, String output) {
    return ParquetSink.read(spark, output);
  }
}
