package streamingdeepdive.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.fs.FileUtil;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * A Spark session for short runs on one machine: small micro-batches take a fraction of the time
 * that Spark's defaults need, and nothing listens beyond the loopback interface.
 *
 * <p>A {@code -Dspark.*} system property wins over a setting made here.
 */
public final class LocalSpark {
  private static final Map<String, String> SETTINGS =
      Map.of(
          "spark.master", "local[2]",
          "spark.driver.host", "127.0.0.1",
          "spark.driver.bindAddress", "127.0.0.1",
          "spark.sql.session.timeZone", "UTC",
          "spark.sql.shuffle.partitions", "2",
          // Otherwise the listing of 10,000 new files is a job of 10,000 tasks.
          "spark.sql.sources.parallelPartitionDiscovery.parallelism", "2",
          // A streaming query cannot use it and warns about it at every start.
          "spark.sql.adaptive.enabled", "false",
          // A small micro-batch never repays the compilation of its plan.
          "spark.sql.codegen.wholeStage", "false",
          // Delta reads the log of a table of a few files in as many tasks as that of a huge one.
          "spark.databricks.delta.snapshotPartitions", "2");

  /** Both together keep Hadoop from forking readlink and chmod for each file it touches. */
  private static final Map<String, String> FORKLESS_FILES =
      Map.of(
          "spark.hadoop.fs.file.impl",
          LocalFiles.class.getName(),
          "spark.sql.streaming.checkpointFileManagerClass",
          "org.apache.spark.sql.execution.streaming.FileSystemBasedCheckpointFileManager");

  /** One for all sessions of this JVM: Spark goes on using the first that it was given. */
  private static Path files;

  private LocalSpark() {}

  /**
   * Opens a session on a Spark context of its own.
   *
   * @param name the application's name
   * @param ui whether to serve Spark's UI, on a port of the loopback interface
   * @return the session, to be closed with {@link #close}
   * @throws UnsupportedOperationException if Spark cannot run on this JDK
   */
  public static SparkSession open(String name, boolean ui) {
    return open(name, ui, Map.of());
  }

  static synchronized SparkSession open(String name, boolean ui, Map<String, String> settings) {
    JavaRuntime.prepare();
    try {
      files = files == null ? Files.createTempDirectory("local-spark-") : files;
      Files.createDirectories(files);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    SparkConf conf = conf(name, ui, files);
    settings.forEach(conf::setIfMissing);
    SparkContext context = new SparkContext(conf);
    return SparkSession.builder().sparkContext(context).getOrCreate();
  }

  /**
   * Stops a session and deletes Spark's own files. Spark leaves that to the end of the JVM, when a
   * main that Maven started has no class loader any more.
   *
   * @param spark a session that {@link #open} gave
   */
  public static synchronized void close(SparkSession spark) {
    spark.stop();
    FileUtil.fullyDelete(files.toFile());
  }

  static SparkConf conf(String name, boolean ui, Path files) {
    Map<String, String> settings = new LinkedHashMap<>(SETTINGS);
    settings.putAll(FORKLESS_FILES);
    settings.put("spark.app.name", name);
    settings.put("spark.ui.enabled", Boolean.toString(ui));
    settings.put("spark.local.dir", files.toString());
    settings.put(
        "spark.sql.warehouse.dir",
        new org.apache.hadoop.fs.Path(files.resolve("warehouse").toUri()).toString());
    SparkConf conf = new LoopbackConf();
    settings.forEach(conf::setIfMissing);
    return conf;
  }

  /** Spark's UI takes its address from this variable alone, and listens everywhere without it. */
  private static final class LoopbackConf extends SparkConf {
    private static final long serialVersionUID = 1L;

    @Override
    public String getenv(String name) {
      return name.equals("SPARK_LOCAL_IP") ? "127.0.0.1" : super.getenv(name);
    }

    /** The Spark context works on a clone. */
    @Override
    public SparkConf clone() {
      LoopbackConf clone = new LoopbackConf();
      for (var setting : getAll()) {
        clone.set(setting._1(), setting._2());
      }
      return clone;
    }
  }
}
