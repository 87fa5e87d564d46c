package streamingdeepdive.recovery;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.util.ShutdownHookManager;

/** A PostgreSQL server on the loopback interface, which can be stopped and started again. */
public final class PostgresServer {
  /** After Spark's own hook, which stops the queries that may still write. */
  private static final int AFTER_SPARK = 10;

  /** The programs are unpacked once only. */
  private static final Path PROGRAMS = Path.of("target", "postgresql");

  private static final int STOP_POLLS = 1_000;
  private static final long STOP_POLL_NANOS = 10_000_000;

  private static PostgresServer shared;

  private final Path directory;
  private final int port;
  private EmbeddedPostgres server;

  private PostgresServer() {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      directory = Files.createTempDirectory("postgres-");
      port = free.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    resume();
  }

  /** The server of all tests in a JVM, which ends with it. */
  public static synchronized PostgresServer shared() {
    if (shared == null) {
      shared = new PostgresServer();
      ShutdownHookManager.get().addShutdownHook(shared::close, AFTER_SPARK);
    }
    return shared;
  }

  /** Creates an empty database and returns the options of Spark's JDBC source for it. */
  public Map<String, String> createDatabase(String name) {
    Map<String, String> options =
        Map.of("url", url("postgres"), "user", "postgres", "password", "postgres");
    TestDatabase.execute(options, "CREATE DATABASE " + name);
    return Map.of("url", url(name), "user", "postgres", "password", "postgres");
  }

  private String url(String database) {
    return "jdbc:postgresql://localhost:" + port + "/" + database;
  }

  /** Stops the server; what it holds stays. */
  public void stop() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts the server with what it holds, on the same port. */
  public void resume() {
    try {
      server =
          EmbeddedPostgres.builder()
              .setPort(port)
              .setDataDirectory(directory.resolve("data"))
              .setOverrideWorkingDirectory(PROGRAMS.toFile())
              .setCleanDataDirectory(false)
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void close() {
    stop();
    // The library's own hook may be at it already.
    Path running = directory.resolve("data").resolve("postmaster.pid");
    for (int i = 0; i < STOP_POLLS && Files.exists(running); i++) {
      LockSupport.parkNanos(STOP_POLL_NANOS);
    }
    FileUtil.fullyDelete(directory.toFile());
  }
}
