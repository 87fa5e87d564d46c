package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.concat;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.octet_length;
import static org.apache.spark.sql.functions.raise_error;
import static org.apache.spark.sql.functions.substring;
import static org.apache.spark.sql.functions.translate;
import static org.apache.spark.sql.functions.when;

import java.util.Map;
import org.apache.spark.sql.Column;

/** The table of {@link JdbcSink} in SQL, with what H2 and PostgreSQL call or do differently. */
final class JdbcSql {
  /** The table's columns; the types have their names in each database's catalog. */
  static final Map<String, String> COLUMNS =
      Map.of(
          "H2",
          """
          "window_start" TIMESTAMP WITH TIME ZONE, "window_end" TIMESTAMP WITH TIME ZONE, \
          "region" CHARACTER VARYING, "total_amount" DOUBLE PRECISION""",
          "PostgreSQL",
          """
          "window_start" timestamptz, "window_end" timestamptz, \
          "region" text, "total_amount" float8""");

  /** A null region is a key, too. */
  static final String UNIQUE =
      "UNIQUE NULLS NOT DISTINCT (\"window_start\", \"window_end\", \"region\")";

  /** Times as microseconds: Spark would read them in the zone of the JVM, or not at all. */
  static final String LATEST =
      """
      SELECT CAST(EXTRACT(EPOCH FROM "window_start") * 1000000 AS BIGINT) AS "window_start",
        CAST(EXTRACT(EPOCH FROM "window_end") * 1000000 AS BIGINT) AS "window_end",
        "region", "total_amount"
      FROM %s""";

  private JdbcSql() {}

  /**
   * A text, or a failure that shows it: PostgreSQL, unlike H2, stores no U+0000, and in the index
   * of a key no text that is longer than a third of a page.
   */
  static Column storable(String url, String name) {
    if (!url.startsWith("jdbc:postgresql:")) {
      return col(name);
    }
    Column text = translate(substring(col(name), 1, 100), "\0", "?");
    Column failure =
        concat(
            lit("PostgreSQL cannot store the " + name + " "),
            text,
            when(col(name).contains("\0"), lit(", where ? is the character U+0000."))
                .otherwise(lit("..., which is longer than 2600 bytes.")),
            lit(" Reject such values where the events are read, and start again."));
    return when(col(name).contains("\0").or(octet_length(col(name)).gt(2600)), raise_error(failure))
        .otherwise(col(name))
        .as(name);
  }
}
