package streamingdeepdive.recovery;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.spark.sql.execution.datasources.jdbc.JDBCOptions;
import org.apache.spark.sql.jdbc.JdbcDialects;
import scala.Predef;
import scala.Tuple2;
import scala.collection.JavaConverters;

/** A database as the options of Spark's JDBC source name it: H2 or PostgreSQL. */
public final class JdbcDatabase {
  /** The first versions with {@code UNIQUE NULLS NOT DISTINCT}. */
  private static final Map<String, int[]> SINCE =
      Map.of("H2", new int[] {2, 2}, "PostgreSQL", new int[] {15, 0});

  private static final Pattern CREDENTIALS =
      Pattern.compile("[?&;](user|password)=|//[^/?;]*@", Pattern.CASE_INSENSITIVE);

  private final Map<String, String> options;
  private final JDBCOptions connecting;

  /**
   * Names a database; nothing connects to it yet.
   *
   * @param given of Spark's JDBC source, such as {@code url}, {@code user}, {@code password} and
   *     {@code driver}
   * @throws IllegalArgumentException if there is no driver for the URL, or credentials are in it
   */
  public JdbcDatabase(Map<String, String> given) {
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
    options = new HashMap<>(given);
    if (url.startsWith("jdbc:postgresql:")) {
      // Without it the driver sends one statement a row.
      options.putIfAbsent("reWriteBatchedInserts", "true");
    }
    try {
      connecting =
          new JDBCOptions(
              url,
              "no table, but Spark asks for one",
              JavaConverters.mapAsScalaMap(options)
                  .toMap(Predef.<Tuple2<String, String>>$conforms()));
    } catch (RuntimeException e) {
      throw e; // about another option
    } catch (Exception e) { // of the driver; Scala throws it undeclared
      throw new IllegalArgumentException(
          "There is no JDBC driver for %s; add its jar to the class path, and if that is not enough, give its class as the option driver."
              .formatted(url));
    }
  }

  /** {@return for Spark's JDBC reader and writer the options given, and defaults} */
  public Map<String, String> options() {
    return options;
  }

  /**
   * {@return a connection that does not commit by itself, as Spark connects}
   *
   * @throws SQLException if the database fails
   * @throws IllegalArgumentException if it is not H2 2.2 or PostgreSQL 15, or a later one
   */
  public Connection connect() throws SQLException {
    Connection connection =
        JdbcDialects.get(connecting.url()).createConnectionFactory(connecting).apply(-1);
    try {
      requireKnown(connection.getMetaData());
      connection.setAutoCommit(false);
      return connection;
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  static void requireKnown(DatabaseMetaData database) throws SQLException {
    String product = database.getDatabaseProductName();
    int[] since = SINCE.get(product);
    if (since == null) {
      throw new IllegalArgumentException(
          "The database is " + product + "; only H2 and PostgreSQL are written to.");
    }
    int[] version = {database.getDatabaseMajorVersion(), database.getDatabaseMinorVersion()};
    if (Arrays.compare(version, since) < 0) {
      throw new IllegalArgumentException(
          "The database is %s %s; %s.%s or later is needed."
              .formatted(product, database.getDatabaseProductVersion(), since[0], since[1]));
    }
  }

  /** Without the values: the password is among them. */
  @Override
  public String toString() {
    return connecting.url();
  }
}
