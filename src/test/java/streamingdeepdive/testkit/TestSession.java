package streamingdeepdive.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.util.ShutdownHookManager;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LocalSpark;

/**
 * A Spark session for one test. All of them share one Spark context, which is started by the first
 * and ends with the JVM; settings, temporary views and queries are each test's own.
 *
 * <p>{@link StreamingExtension} opens and closes it. Where no JUnit extension runs:
 *
 * <pre>{@code
 * try (TestSession session = TestSession.open()) {
 *   FileStream sales = new FileStream(session, "event_time TIMESTAMP, amount DOUBLE");
 *   ...
 * }
 * }</pre>
 */
public final class TestSession implements AutoCloseable {
  /** Above Spark's own hook, which stops the context but keeps its files. */
  private static final int BEFORE_SPARK = 100;

  private static SparkSession shared;

  private final SparkSession spark;
  private final List<Runnable> atTheEnd = new ArrayList<>();

  private TestSession(SparkSession spark) {
    this.spark = spark;
  }

  /**
   * Opens a session and makes it the active one of this thread.
   *
   * @return the session, to be closed by the caller
   */
  public static TestSession open() {
    SparkSession spark = shared().newSession();
    spark.conf().set("spark.sql.streaming.stopTimeout", "30s");
    // A step may be of more micro-batches than the 100 that Spark keeps by default.
    spark.conf().set("spark.sql.streaming.numRecentProgressUpdates", "10000");
    SparkSession.setActiveSession(spark);
    return new TestSession(spark);
  }

  /**
   * Returns the Spark session.
   *
   * @return a local session in the time zone UTC
   */
  public SparkSession spark() {
    return spark;
  }

  /**
   * Creates an empty temporary directory, which is deleted with the session.
   *
   * @return its absolute path
   */
  public Path newDirectory() {
    Path directory = createDirectory();
    atTheEnd.add(() -> FileUtil.fullyDelete(directory.toFile()));
    return directory;
  }

  /** Has something closed with this session, after its queries have stopped. */
  void closes(Runnable closing) {
    atTheEnd.add(closing);
  }

  /** Stops the queries that are still running, then deletes the temporary directories. */
  @Override
  public void close() {
    try {
      for (StreamingQuery query : spark.streams().active()) {
        query.stop();
      }
    } catch (TimeoutException e) {
      throw new AssertionError("A query did not stop within 30 s", e);
    } finally {
      SparkSession.clearActiveSession();
      atTheEnd.forEach(Runnable::run);
    }
  }

  private static synchronized SparkSession shared() {
    if (shared == null || shared.sparkContext().isStopped()) {
      shared = LocalSpark.open("tests");
      ShutdownHookManager.get().addShutdownHook(() -> LocalSpark.close(shared), BEFORE_SPARK);
    }
    return shared;
  }

  static Path createDirectory() {
    try {
      return Files.createTempDirectory("streaming-test-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
