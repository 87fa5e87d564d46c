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
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext$;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LocalSpark;

/**
 * A Spark session for one test. All of them share one Spark context: the one that is running, or
 * one that the first starts and that ends with the JVM. Settings, temporary views and queries are
 * each test's own.
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
    SparkSession spark = running().newSession();
    SparkConf context = spark.sparkContext().getConf();
    // Also in a context of the project's own.
    spark.conf().set("spark.sql.session.timeZone", "UTC");
    spark
        .conf()
        .set("spark.sql.shuffle.partitions", context.get("spark.sql.shuffle.partitions", "2"));
    spark.conf().set("spark.sql.streaming.stopTimeout", "30s");
    // A step may be of more micro-batches than the 100 that Spark keeps by default.
    spark.conf().set("spark.sql.streaming.numRecentProgressUpdates", "10000");
    SparkSession.setActiveSession(spark);
    return new TestSession(spark);
  }

  /**
   * Returns the Spark session.
   *
   * @return a session in the time zone UTC
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
      if (!spark.sparkContext().isStopped()) {
        for (StreamingQuery query : spark.streams().active()) {
          query.stop();
        }
      }
    } catch (TimeoutException e) {
      throw new AssertionError("A query did not stop within 30 s", e);
    } finally {
      SparkSession.clearActiveSession();
      atTheEnd.forEach(Runnable::run);
    }
  }

  private static synchronized SparkSession running() {
    if (SparkContext$.MODULE$.getActive().isDefined()) {
      return SparkSession.builder().getOrCreate();
    }
    SparkSession started = LocalSpark.open("tests");
    ShutdownHookManager.get().addShutdownHook(() -> LocalSpark.close(started), BEFORE_SPARK);
    return started;
  }

  static Path createDirectory() {
    try {
      return Files.createTempDirectory("streaming-test-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
