package streamingdeepdive.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.hadoop.fs.FileUtil;
import org.apache.spark.sql.SparkSession;
import scala.Option;

/** The session of one run of a main, and a temporary directory that goes with it. */
final class AppSession implements AutoCloseable {
  private final SparkSession spark;
  private final Consumer<SparkSession> end;
  private final Path scratch;

  private AppSession(SparkSession spark, Consumer<SparkSession> end) throws IOException {
    this.spark = spark;
    this.end = end;
    this.scratch = Files.createTempDirectory("streaming-deep-dive-");
  }

  /**
   * Takes, in this order: a session beside the one that this JVM has already, which keeps its
   * settings; the cluster that spark-submit names, as it is set up; a local one. The settings are
   * those that the main cannot do without.
   */
  static AppSession open(String name, boolean ui, Map<String, String> settings) throws Exception {
    Option<SparkSession> existing = SparkSession.getDefaultSession();
    if (existing.isDefined() && !existing.get().sparkContext().isStopped()) {
      return beside(existing.get(), settings);
    }
    if (!isSubmitted()) {
      return new AppSession(LocalSpark.open(name, ui, settings), LocalSpark::close);
    }
    SparkSession.Builder builder = SparkSession.builder();
    settings.forEach(builder::config);
    return new AppSession(builder.getOrCreate(), SparkSession::stop);
  }

  /** Delta looks at the active session, whichever it is given. */
  private static AppSession beside(SparkSession existing, Map<String, String> settings)
      throws Exception {
    Option<SparkSession> active = SparkSession.getActiveSession();
    SparkSession beside =
        settings.isEmpty() ? existing.newSession() : ExtendedSession.open(settings);
    beside.conf().set("spark.sql.session.timeZone", "UTC");
    SparkSession.setActiveSession(beside);
    return new AppSession(
        beside,
        session -> {
          SparkSession.clearActiveSession();
          active.foreach(
              before -> {
                SparkSession.setActiveSession(before);
                return null;
              });
        });
  }

  /** Whether a master was given, as spark-submit does for the classes it starts. */
  static boolean isSubmitted() {
    return System.getProperty("spark.master") != null;
  }

  SparkSession spark() {
    return spark;
  }

  Path scratch() {
    return scratch;
  }

  @Override
  public void close() {
    end.accept(spark);
    FileUtil.fullyDelete(scratch.toFile());
  }
}
