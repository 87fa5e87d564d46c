package streamingdeepdive.testkit;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.to_json;

import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;

/** Rows as JSON that Spark reads back as the same rows. */
final class JsonLines {
  /** Spark's default would cut microseconds off. */
  private static final String TIMESTAMPS = "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX";

  private JsonLines() {}

  static List<String> of(SparkSession spark, StructType schema, List<Row> rows) {
    Dataset<Row> lines =
        spark
            .createDataFrame(rows, schema)
            .select(to_json(struct(col("*")), Map.of("timestampFormat", TIMESTAMPS)));
    return lines.collectAsList().stream().map(line -> line.getString(0)).toList();
  }
}
