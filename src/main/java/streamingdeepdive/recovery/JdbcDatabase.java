package streamingdeepdive.recovery;

import java.io.Serializable;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;
import org.apache.spark.sql.execution.datasources.jdbc.DriverRegistry;

/**
 * A database as the options of Spark's JDBC source name it. Executors get a copy and open
 * connections of their own.
 */
final class JdbcDatabase implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final Pattern CREDENTIALS =
      Pattern.compile("[?&;](user|password)=|//[^/?;]*@", Pattern.CASE_INSENSITIVE);

  /** What is done in a transaction. */
  @FunctionalInterface
  interface Work<T> {
    T in(Connection connection) throws SQLException;
  }

  private final HashMap<String, String> options;

  JdbcDatabase(Map<String, String> given) {
    String url = given.get("url");
    if (url == null) {
      throw new IllegalArgumentException(
          "The options name no database; give its JDBC URL as the option url.");
    }
    if (CREDENTIALS.matcher(url).find()) {
      // Drivers put the URL into their messages.
      throw new IllegalArgumentException(
          "The JDBC URL holds a user or a password; give them as the options user and password.");
    }
    options = new HashMap<>(SqlDialect.connectionDefaults(url));
    options.putAll(given);
    options.computeIfAbsent("driver", key -> driverOf(url));
  }

  private static String driverOf(String url) {
    try {
      return DriverManager.getDriver(url).getClass().getName();
    } catch (SQLException e) {
      throw new IllegalArgumentException(
          "There is no JDBC driver for "
              + url
              + "; add its jar to the class path, and if that is not enough, give its class as the"
              + " option driver.");
    }
  }

  /** For Spark's JDBC source. */
  Map<String, String> options() {
    return options;
  }

  /** Commits what was done, or takes all of it back; the connection is closed in any case. */
  <T> T inTransaction(Work<T> work) throws SQLException {
    try (Connection connection = open()) {
      connection.setAutoCommit(false);
      try {
        T result = work.in(connection);
        connection.commit();
        return result;
      } catch (SQLException | RuntimeException | Error e) {
        rollback(connection, e);
        throw e;
      }
    }
  }

  private static void rollback(Connection connection, Throwable failure) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
  }

  private Connection open() throws SQLException {
    // Unlike DriverManager it finds drivers that came with spark-submit.
    DriverRegistry.register(options.get("driver"));
    Driver driver = DriverRegistry.get(options.get("driver"));
    Properties properties = new Properties();
    properties.putAll(options);
    properties.remove("url");
    properties.remove("driver");
    Connection connection = driver.connect(options.get("url"), properties);
    if (connection == null) {
      throw new SQLException(
          "The driver %s does not take the URL %s; give another driver or URL."
              .formatted(options.get("driver"), options.get("url")));
    }
    return connection;
  }

  /** Without the values: the password is among them. */
  @Override
  public String toString() {
    return options.get("url");
  }
}
