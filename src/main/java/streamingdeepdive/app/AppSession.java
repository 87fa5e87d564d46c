package streamingdeepdive.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
   * settings; the cluster that spark-submit names, as it is set up; a local one.
   */
  static AppSession open(String name, boolean ui) throws IOException {
    Option<SparkSession> existing = SparkSession.getDefaultSession();
    if (existing.isDefined() && !existing.get().sparkContext().isStopped()) {
      SparkSession beside = existing.get().newSession();
      beside.conf().set("spark.sql.session.timeZone", "UTC");
      return new AppSession(beside, session -> {});
    }
    return isSubmitted()
        ? new AppSession(SparkSession.builder().getOrCreate(), SparkSession::stop)
        : new AppSession(LocalSpark.open(name, ui), LocalSpark::close);
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
