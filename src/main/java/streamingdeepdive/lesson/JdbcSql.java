package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.concat;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.raise_error;
import static org.apache.spark.sql.functions.translate;
import static org.apache.spark.sql.functions.when;

import java.sql.Connection;
import java.sql.SQLException;
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

  /** What one attempt has staged, once: a task that ran twice has staged it twice. */
  private static final String STAGED =
      """
      SELECT DISTINCT
        TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00'
          + "window_start" * INTERVAL '0.000001' SECOND AS "window_start",
        TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00'
          + "window_end" * INTERVAL '0.000001' SECOND AS "window_end",
        "region", "total_amount"
      FROM %s WHERE "attempt" = %s""";

  private static final Map<String, String> UPSERT =
      Map.of(
          "H2",
          """
          MERGE INTO %s t USING (%s) s
          ON t."window_start" = s."window_start" AND t."window_end" = s."window_end"
            AND t."region" IS NOT DISTINCT FROM s."region"
          WHEN MATCHED THEN UPDATE SET "total_amount" = s."total_amount"
          WHEN NOT MATCHED THEN INSERT
            VALUES (s."window_start", s."window_end", s."region", s."total_amount")
          """,
          "PostgreSQL",
          """
          INSERT INTO %s ("window_start", "window_end", "region", "total_amount") %s
          ON CONFLICT ("window_start", "window_end", "region")
            DO UPDATE SET "total_amount" = EXCLUDED."total_amount"
          """);

  /** Times as microseconds: Spark would read them in the zone of the JVM, or not at all. */
  static final String LATEST =
      """
      SELECT CAST(EXTRACT(EPOCH FROM "window_start") * 1000000 AS BIGINT) AS "window_start",
        CAST(EXTRACT(EPOCH FROM "window_end") * 1000000 AS BIGINT) AS "window_end",
        "region", "total_amount"
      FROM %s""";

  private JdbcSql() {}

  /** A statement after which the rows that an attempt has staged are in the table. */
  static String upsert(Connection connection, String table, String stage, long attempt)
      throws SQLException {
    String database = connection.getMetaData().getDatabaseProductName();
    return UPSERT.get(database).formatted(table, STAGED.formatted(stage, attempt));
  }

  /** A text, or a failure that shows it: PostgreSQL, unlike H2, stores no U+0000. */
  static Column storable(String url, String name) {
    if (!url.startsWith("jdbc:postgresql:")) {
      return col(name);
    }
    Column failure =
        concat(
            lit("PostgreSQL cannot store the " + name + " "),
            translate(col(name), "\0", "?"),
            lit(
                ", where ? is the character U+0000. Reject such values where the events are read, and start again."));
    return when(col(name).contains("\0"), raise_error(failure)).otherwise(col(name)).as(name);
  }
}
