package streamingdeepdive.app;

import java.nio.file.Path;
import java.sql.Connection;
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
    return new ReplayDatabase(url, DriverManager.getConnection(url));
  }

  Database database() {
    return new Database(Map.of("url", url), FilesToDatabaseOptions.TABLE);
  }

  @Override
  public void close() throws SQLException {
    open.close();
  }
}
