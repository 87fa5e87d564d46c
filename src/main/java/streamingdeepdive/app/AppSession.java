package streamingdeepdive.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.fs.FileUtil;
import org.apache.spark.sql.SparkSession;
import scala.Option;

/** The session of one run of a main, and a temporary directory that goes with it. */
final class AppSession implements AutoCloseable {
  private final SparkSession spark;
  private final boolean own;
  private final Path scratch;

  private AppSession(SparkSession spark, boolean own, Path scratch) {
    this.spark = spark;
    this.own = own;
    this.scratch = scratch;
  }

  /**
   * Takes, in this order: a session beside the one that this JVM has already, which keeps its
   * settings; the cluster that spark-submit names, as it is set up; a local one.
   */
  static AppSession open(String name, boolean ui) throws IOException {
    Path scratch = Files.createTempDirectory("streaming-deep-dive-");
    try {
      Option<SparkSession> existing = SparkSession.getDefaultSession();
      if (existing.isDefined() && !existing.get().sparkContext().isStopped()) {
        SparkSession beside = existing.get().newSession();
        beside.conf().set("spark.sql.session.timeZone", "UTC");
        return new AppSession(beside, false, scratch);
      }
      if (isSubmitted()) {
        return new AppSession(SparkSession.builder().getOrCreate(), true, scratch);
      }
      Path warehouse = scratch.resolve("warehouse");
      return new AppSession(LocalSpark.open(name, warehouse, ui), true, scratch);
    } catch (RuntimeException | Error e) {
      FileUtil.fullyDelete(scratch.toFile());
      throw e;
    }
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
    if (own) {
      spark.stop();
    }
    FileUtil.fullyDelete(scratch.toFile());
  }
}
