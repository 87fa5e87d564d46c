package streamingdeepdive.recovery;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;

/**
 * What is on record about an {@link UpsertTable}, in a table of one row: the query that writes it,
 * and the last micro-batch that is in it.
 */
record TableProgress(String queryId, long batchId) {
  static String nameFor(String table) {
    return table + "_progress";
  }

  /** Empty if nothing has been written; rows that are not on record are not to be built on. */
  static Optional<TableProgress> of(Connection connection, String table) throws SQLException {
    String progress = nameFor(table);
    List<String> expected = SqlDialect.of(connection).columns();
    List<String> columns = columns(connection, table);
    if (!columns.isEmpty() && !columns.equals(expected)) {
      throw new IllegalStateException(
          "The table %s has the columns %s; the totals need %s. Give the query another table."
              .formatted(table, String.join(", ", columns), String.join(", ", expected)));
    }
    Optional<TableProgress> found =
        columns(connection, progress).isEmpty()
            ? Optional.empty()
            : firstRow(
                connection,
                "SELECT \"query_id\", \"batch_id\" FROM " + SqlDialect.quote(progress),
                row -> new TableProgress(row.getString(1), row.getLong(2)));
    if (found.isEmpty() && !columns.isEmpty() && hasRows(connection, table)) {
      throw new IllegalStateException(
          "The table %s holds rows, but %s does not say of which query.".formatted(table, progress)
              + " Restore it, or give the query a new table.");
    }
    return found;
  }

  /** Puts a table without rows on record as the query's. */
  static void start(Statement statement, String table, String queryId) throws SQLException {
    String progress = SqlDialect.quote(nameFor(table));
    statement.execute(
        "CREATE TABLE IF NOT EXISTS "
            + progress
            + " (\"only_row\" BOOLEAN PRIMARY KEY CHECK (\"only_row\"),"
            + " \"query_id\" VARCHAR(36), \"batch_id\" BIGINT)");
    statement.execute("INSERT INTO %s VALUES (TRUE, '%s', -1)".formatted(progress, queryId));
  }

  boolean isOrFollows(TableProgress found) {
    return queryId.equals(found.queryId)
        && (batchId == found.batchId || batchId == found.batchId + 1);
  }

  /** Takes the step from the last micro-batch to this one; false if it was taken before. */
  boolean record(Connection connection, String table) throws SQLException {
    String sql =
        "UPDATE %s SET \"batch_id\" = ? WHERE \"query_id\" = ? AND \"batch_id\" = ?"
            .formatted(SqlDialect.quote(nameFor(table)));
    try (PreparedStatement update = connection.prepareStatement(sql)) {
      update.setLong(1, batchId);
      update.setString(2, queryId);
      update.setLong(3, batchId - 1);
      return update.executeUpdate() == 1;
    }
  }

  /** The columns of a table, each with its type; none if it does not exist. */
  static List<String> columns(Connection connection, String table) throws SQLException {
    DatabaseMetaData catalog = connection.getMetaData();
    String escape = Matcher.quoteReplacement(catalog.getSearchStringEscape());
    String pattern = table.replaceAll("[_%\\\\]", escape + "$0");
    List<String> columns = new ArrayList<>();
    try (ResultSet found =
        catalog.getColumns(connection.getCatalog(), connection.getSchema(), pattern, null)) {
      while (found.next()) {
        columns.add(found.getString("COLUMN_NAME") + " " + found.getString("TYPE_NAME"));
      }
    }
    return columns;
  }

  private static boolean hasRows(Connection connection, String table) throws SQLException {
    String sql = "SELECT 1 FROM %s FETCH FIRST ROW ONLY".formatted(SqlDialect.quote(table));
    return firstRow(connection, sql, row -> true).isPresent();
  }

  @FunctionalInterface
  private interface RowReader<T> {
    T read(ResultSet row) throws SQLException;
  }

  private static <T> Optional<T> firstRow(Connection connection, String sql, RowReader<T> reader)
      throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      return rows.next() ? Optional.of(reader.read(rows)) : Optional.empty();
    }
  }
}
