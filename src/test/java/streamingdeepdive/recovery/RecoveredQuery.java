package streamingdeepdive.recovery;

import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import streamingdeepdive.lesson.Deduplication;
import streamingdeepdive.lesson.DeltaSink;
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
  },

  DELTA_FINAL_TOTALS {
    @Override
    Dataset<Row> rows(Dataset<Row> events) {
      return WindowedAggregation.buildQuery(events);
    }

    @Override
    DataStreamWriter<Row> write(Dataset<Row> events, String output, String checkpoint) {
      return DeltaSink.buildQuery(rows(events), output, checkpoint);
    }

    @Override
    Dataset<Row> read(SparkSession spark, String output) {
      return DeltaSink.read(spark, output);
    }
  },

  DELTA_NEWEST_TOTALS {
    @Override
    Dataset<Row> rows(Dataset<Row> events) {
      return WindowedAggregation.buildQuery(events);
    }

    @Override
    DataStreamWriter<Row> write(Dataset<Row> events, String output, String checkpoint) {
      return DeltaSink.buildUpdateQuery(rows(events), output, checkpoint);
    }

    @Override
    Dataset<Row> read(SparkSession spark, String output) {
      return DeltaSink.read(spark, output);
    }
  };

  static final List<RecoveredQuery> ON_PARQUET =
      List.of(FINAL_TOTALS, REVISIONS, SLIDING_TOTALS, DISTINCT_EVENTS);

  /** The query, over a stream or over a table. */
  abstract Dataset<Row> rows(Dataset<Row> events);

  DataStreamWriter<Row> write(Dataset<Row> events, String output, String checkpoint) {
    return ParquetSink.buildQuery(rows(events), output, checkpoint);
  }

  Dataset<Row> read(SparkSession spark, String output) {
    return ParquetSink.read(spark, output);
  }
}
