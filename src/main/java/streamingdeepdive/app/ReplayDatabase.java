package streamingdeepdive.app;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;

/** A database for one run of a main: H2, in a file. It is open until it is closed here. */
final class ReplayDatabase implements AutoCloseable {
  private final String url;
  private final Connection open;

  private ReplayDatabase(String url, Connection open) {
    this.url = url;
    this.open = open;
  }

  static ReplayDatabase in(Path directory) throws SQLException {
    String url = "jdbc:h2:file:" + directory.resolve("database").toAbsolutePath();
    if (DriverManager.drivers().noneMatch(driver -> accepts(driver, url))) {
      throw new IllegalStateException(
          "A database in this process needs com.h2database:h2:2.4.240 on the class path; add it, or"
              + " name a database of your own.");
    }
    return new ReplayDatabase(url, DriverManager.getConnection(url));
  }

  private static boolean accepts(Driver driver, String url) {
    try {
      return driver.acceptsURL(url);
    } catch (SQLException e) {
      return false;
    }
  }

  Database database() {
    return new Database(Map.of("url", url), FilesToDatabaseOptions.TABLE);
  }

  @Override
  public void close() throws SQLException {
    open.close();
  }
}
