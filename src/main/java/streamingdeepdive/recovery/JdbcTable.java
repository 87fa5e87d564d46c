package streamingdeepdive.recovery;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;

/**
 * A database table that one streaming query writes. The table {@code _progress} beside it has one
 * row: the id of the query, and the number of the last micro-batch that is in the table.
 */
public final class JdbcTable {
  private static final String PROGRESS = "_progress";

  private record Progress(String queryId, long batchId) {}

  private final JdbcDatabase database;
  private final String name;
  private final Map<String, String> columns;

  /**
   * Names a table, which need not exist yet.
   *
   * @param database where it is, in the schema of the connection
   * @param name its name; case counts
   * @param columns for {@code H2} and {@code PostgreSQL} the columns as in {@code CREATE TABLE},
   *     names quoted, types as in the database's catalog
   */
  public JdbcTable(JdbcDatabase database, String name, Map<String, String> columns) {
    this.database = database;
    this.name = name;
    this.columns = columns;
  }

  /**
   * {@return the name of the table, or of one beside it, quoted for SQL}
   *
   * @param suffix appended to the name; empty for the table itself
   */
  public String quoted(String suffix) {
    return '"' + (name + suffix).replace("\"", "\"\"") + '"';
  }

  /**
   * Requires that the table belongs to the checkpoint. On another one the numbers of the
   * micro-batches start anew, and so do the totals.
   *
   * @param checkpoint the checkpoint that the query is about to start on
   * @throws IllegalStateException if another query wrote the table, if table and checkpoint are of
   *     different times, if the table has other columns, or if the database cannot be read
   * @throws IllegalArgumentException if the database is another or an older one, or the name is too
   *     long for it
   */
  public void requireWrittenFrom(Checkpoint checkpoint) {
    Optional<Progress> last = progress();
    String output = "table " + name;
    List<String> queryIds = last.map(Progress::queryId).stream().toList();
    checkpoint.requireWriter(output, queryIds, "the totals of both would be mixed");
    long written = last.map(Progress::batchId).orElse(-1L);
    checkpoint.requireNotAhead(output, written, "whose totals would be mixed with older ones");
    checkpoint.requireComplete(output, written);
  }

  /**
   * {@return whether a query has begun to write the table} Without a table none has.
   *
   * @throws IllegalStateException if the table has other columns, or the database cannot be read
   * @throws IllegalArgumentException as {@link #requireWrittenFrom} does
   */
  public boolean isWritten() {
    return progress().isPresent();
  }

  private Optional<Progress> progress() {
    try (Connection connection = database.connect()) {
      return progress(connection);
    } catch (SQLException e) {
      String why = e.getCause() == null ? "" : " (" + e.getCause() + ")";
      throw new IllegalStateException(
          "The database %s cannot be read: %s%s".formatted(database, e.getMessage(), why));
    }
  }

  /**
   * Creates the tables with the first micro-batch; later ones must find what the query has written.
   *
   * @param queryId the id that the query keeps over all restarts
   * @param batchId the number of the micro-batch that is to be written
   * @param constraint of the table, behind its columns
   * @throws SQLException if the database fails
   * @throws IllegalStateException if the table is not what the query has written
   */
  public void begin(String queryId, long batchId, String constraint) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      Optional<Progress> last = progress(connection);
      if (last.isEmpty() && batchId == 0) {
        String product = connection.getMetaData().getDatabaseProductName();
        statement.execute(
            "CREATE TABLE IF NOT EXISTS %s (%s, %s)"
                .formatted(quoted(""), columns.get(product), constraint));
        statement.execute(
            """
            CREATE TABLE IF NOT EXISTS %s ("only_row" BOOLEAN PRIMARY KEY CHECK ("only_row"), \
            "query_id" VARCHAR(36), "batch_id" BIGINT)"""
                .formatted(quoted(PROGRESS)));
        statement.execute(
            "INSERT INTO " + quoted(PROGRESS) + " VALUES (TRUE, '" + queryId + "', -1)");
      } else if (!last.equals(Optional.of(new Progress(queryId, batchId)))
          && !last.equals(Optional.of(new Progress(queryId, batchId - 1)))) {
        throw new IllegalStateException(
            "The table %s does not hold what this query has written before micro-batch %s. Restore it, or start anew with a new checkpoint and a new table."
                .formatted(name, batchId));
      }
      connection.commit();
    }
  }

  /** Empty if nothing has been written; rows that are not on record are not to be built on. */
  private Optional<Progress> progress(Connection connection) throws SQLException {
    int reported = connection.getMetaData().getMaxTableNameLength();
    int longest = reported == 0 ? 256 : reported; // H2 does not say
    // PostgreSQL would cut the longer name, and not find it again.
    if ((name + PROGRESS).getBytes(StandardCharsets.UTF_8).length > longest) {
      throw new IllegalArgumentException(
          "The table name %s is too long: with %s behind it, it must fit into %s bytes. Give the table a shorter one."
              .formatted(name, PROGRESS, longest));
    }
    String product = connection.getMetaData().getDatabaseProductName();
    List<String> expected = List.of(columns.get(product).replace("\"", "").split(", "));
    List<String> found = columns(connection, name);
    if (!found.isEmpty() && !found.equals(expected)) {
      throw new IllegalStateException(
          "The table %s has the columns %s; the query needs %s. Give the query another table."
              .formatted(name, String.join(", ", found), String.join(", ", expected)));
    }
    try (Statement statement = connection.createStatement()) {
      if (!columns(connection, name + PROGRESS).isEmpty()) {
        ResultSet row =
            statement.executeQuery("SELECT \"query_id\", \"batch_id\" FROM " + quoted(PROGRESS));
        if (row.next()) {
          return Optional.of(new Progress(row.getString(1), row.getLong(2)));
        }
      }
      String anyRow = "SELECT 1 FROM %s FETCH FIRST ROW ONLY".formatted(quoted(""));
      if (!found.isEmpty() && statement.executeQuery(anyRow).next()) {
        throw new IllegalStateException(
            "The table %s holds rows, but %s does not say of which query. Restore it, or give the query a new table."
                .formatted(name, name + PROGRESS));
      }
    }
    return Optional.empty();
  }

  /** The columns of a table, each with its type; none if it does not exist. */
  private static List<String> columns(Connection connection, String table) throws SQLException {
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
}
