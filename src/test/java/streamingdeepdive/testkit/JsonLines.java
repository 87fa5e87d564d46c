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
  /** Spark's defaults would cut microseconds off. */
  private static final Map<String, String> FORMATS =
      Map.of(
          "timestampFormat", "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
          "timestampNTZFormat", "yyyy-MM-dd'T'HH:mm:ss.SSSSSS");

  private JsonLines() {}

  static List<String> of(SparkSession spark, StructType schema, List<Row> rows) {
    Dataset<Row> lines =
        TypedRows.of(spark, schema, rows).select(to_json(struct(col("*")), FORMATS));
    return lines.collectAsList().stream().map(line -> line.getString(0)).toList();
  }
}
