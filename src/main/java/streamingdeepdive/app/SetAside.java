package streamingdeepdive.app;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.collect_set;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.when;

import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/**
 * Keeps rejected lines away from a query. They stay in their files; the query's progress says how
 * many there were, and where.
 */
final class SetAside {
  private static final String METRIC = "set aside";

  private SetAside() {}

  /** Takes lines with the columns file and reason, and gives those without a reason. */
  static Dataset<Row> from(Dataset<Row> lines) {
    Column accepted = col("reason").isNull();
    return lines
        .observe(
            METRIC,
            count(col("reason")),
            collect_set(when(accepted, null).otherwise(col("file"))),
            collect_set(col("reason")))
        .where(accepted)
        .drop("raw", "file", "reason");
  }

  /** One sentence, if a micro-batch has set lines aside. */
  static Optional<String> report(StreamingQueryProgress progress) {
    return Optional.ofNullable(progress.observedMetrics().get(METRIC))
        .filter(seen -> seen.getLong(0) > 0)
        .map(
            seen ->
                "lines set aside %d, in %s: %s"
                    .formatted(seen.getLong(0), list(seen.getList(1)), list(seen.getList(2))));
  }

  private static String list(List<String> values) {
    return String.join(", ", values.stream().sorted().toList());
  }
}
