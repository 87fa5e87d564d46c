package streamingdeepdive.recovery;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The databases that the sink is tested on; each test gets an empty one. */
public enum TestDatabase {
  H2 {
    /** In memory, for as long as the JVM lives. */
    @Override
    public Map<String, String> create() {
      return Map.of("url", "jdbc:h2:mem:" + newName() + ";DB_CLOSE_DELAY=-1");
    }
  },

  POSTGRESQL {
    @Override
    public Map<String, String> create() throws SQLException {
      return PostgresServer.shared().createDatabase(newName());
    }
  };

  /** Returns the options of Spark's JDBC source for a new database. */
  public abstract Map<String, String> create() throws SQLException;

  private static String newName() {
    return "test_" + UUID.randomUUID().toString().replace('-', '_');
  }

  /** Runs a statement as another client does, and returns the rows of a query, as text. */
  public static List<String> execute(Map<String, String> options, String sql) {
    List<String> rows = new ArrayList<>();
    try (Connection connection =
            DriverManager.getConnection(
                options.get("url"), options.get("user"), options.get("password"));
        Statement statement = connection.createStatement()) {
      if (statement.execute(sql)) {
        ResultSet found = statement.getResultSet();
        while (found.next()) {
          rows.add(found.getString(1));
        }
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
    return rows;
  }
}
