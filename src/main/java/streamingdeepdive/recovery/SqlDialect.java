package streamingdeepdive.recovery;

import static java.util.stream.Collectors.joining;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** What the databases write differently; all other SQL is the same on each of them. */
enum SqlDialect {
  H2(2, 2, "TIMESTAMP WITH TIME ZONE", "CHARACTER VARYING", "DOUBLE PRECISION") {
    /** The one comparison that finds null keys and uses the index here. */
    @Override
    String upsert(String table, String select) {
      return "MERGE INTO %s t USING (%s) s ON %s".formatted(table, select, equalKeys())
          + " WHEN MATCHED THEN UPDATE SET \"total_amount\" = s.\"total_amount\""
          + " WHEN NOT MATCHED THEN INSERT (%s) VALUES (%s)"
              .formatted(columnNames(), columnNames().replaceAll("\"\\w+\"", "s.$0"));
    }

    private static String equalKeys() {
      return KEYS.stream()
          .map(key -> "t.%1$s IS NOT DISTINCT FROM s.%1$s".formatted(quote(key)))
          .collect(joining(" AND "));
    }
  },

  POSTGRESQL(15, 0, "timestamptz", "text", "float8") {
    @Override
    String upsert(String table, String select) {
      return "INSERT INTO %s (%s) %s ON CONFLICT (%s)"
              .formatted(table, columnNames(), select, keys())
          + " DO UPDATE SET \"total_amount\" = EXCLUDED.\"total_amount\"";
    }
  };

  private static final List<String> KEYS = List.of("window_start", "window_end", "region");

  /** The first version with {@code UNIQUE NULLS NOT DISTINCT}. */
  private final int sinceMajor;

  private final int sinceMinor;
  private final String timestamp;
  private final String string;
  private final String number;

  SqlDialect(int sinceMajor, int sinceMinor, String timestamp, String string, String number) {
    this.sinceMajor = sinceMajor;
    this.sinceMinor = sinceMinor;
    this.timestamp = timestamp;
    this.string = string;
    this.number = number;
  }

  static SqlDialect of(Connection connection) throws SQLException {
    DatabaseMetaData database = connection.getMetaData();
    String product = database.getDatabaseProductName();
    SqlDialect dialect =
        Arrays.stream(values())
            .filter(known -> known.name().equalsIgnoreCase(product))
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "The database is " + product + "; only H2 and PostgreSQL are written to."));
    if (!dialect.isSpokenBy(
        database.getDatabaseMajorVersion(), database.getDatabaseMinorVersion())) {
      throw new IllegalArgumentException(
          "The database is %s %s; %d.%d or later is needed."
              .formatted(
                  product,
                  database.getDatabaseProductVersion(),
                  dialect.sinceMajor,
                  dialect.sinceMinor));
    }
    return dialect;
  }

  private boolean isSpokenBy(int major, int minor) {
    return major > sinceMajor || major == sinceMajor && minor >= sinceMinor;
  }

  /** Without it the driver of PostgreSQL sends one statement a row. */
  static Map<String, String> connectionDefaults(String url) {
    return url.startsWith("jdbc:postgresql:") ? Map.of("reWriteBatchedInserts", "true") : Map.of();
  }

  static String quote(String identifier) {
    return '"' + identifier.replace("\"", "\"\"") + '"';
  }

  /** Replaces the totals of some keys and adds the others; a null region is a key too. */
  abstract String upsert(String table, String select);

  /** The columns of a total, each with its type as the database's catalog names it. */
  List<String> columns() {
    return List.of(
        "window_start " + timestamp,
        "window_end " + timestamp,
        "region " + string,
        "total_amount " + number);
  }

  /** The columns of a total as they are declared. */
  String columnDefinitions() {
    return columns().stream()
        .map(column -> column.split(" ", 2))
        .map(column -> quote(column[0]) + " " + column[1])
        .collect(joining(", "));
  }

  static String keys() {
    return KEYS.stream().map(SqlDialect::quote).collect(joining(", "));
  }

  static String columnNames() {
    return keys() + ", \"total_amount\"";
  }
}
