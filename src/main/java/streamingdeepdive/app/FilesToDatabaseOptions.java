package streamingdeepdive.app;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.SparkContext;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A directory of event files to read, and a database to write to. */
final class FilesToDatabaseOptions implements InputOptions {
  static final String PASSWORD = "JDBC_PASSWORD";
  static final String TABLE = "totals";

  @Mixin private DirectoryOptions input;

  @Option(
      names = "--url",
      paramLabel = "JDBC-URL",
      description = "With --input: write to this database, on PostgreSQL or H2.")
  private String url;

  @Option(
      names = "--user",
      paramLabel = "NAME",
      description =
          "Its user; the password is taken from the environment variable " + PASSWORD + ".")
  private String user;

  @Option(
      names = "--table",
      paramLabel = "NAME",
      description = "The table in it, '" + TABLE + "' if not given.")
  private String table;

  @Override
  public String names() {
    return input.names();
  }

  @Override
  public String place() {
    return input.place();
  }

  @Override
  public void requireUsable() {
    if (url == null && (user != null || table != null)) {
      throw new UsageException("--user and --table go with --url; give the database too.");
    }
  }

  @Override
  public void requireReadable(SparkContext context) {
    input.requireReadable(context);
  }

  @Override
  public String outputName() {
    return "--url";
  }

  @Override
  public boolean hasOutput() {
    return true;
  }

  @Override
  public String output() {
    return url;
  }

  Database database(Map<String, String> environment) {
    Map<String, String> options = new HashMap<>();
    options.put("url", url);
    if (user != null) {
      options.put("user", user);
    }
    if (environment.containsKey(PASSWORD)) {
      options.put("password", environment.get(PASSWORD));
    }
    return new Database(options, table == null ? TABLE : table);
  }
}
