package streamingdeepdive.app;

import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileUtil;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * A Spark session for short runs on one machine: small micro-batches take a fraction of the time
 * that Spark's defaults need, and nothing listens beyond the loopback interface. What a {@code
 * -Dspark.*} system property or spark-submit sets wins over a setting made here.
 */
public final class LocalSpark {
  private static final Map<String, String> SETTINGS =
      Map.ofEntries(
          Map.entry("spark.master", "local[2]"),
          Map.entry("spark.driver.host", "127.0.0.1"),
          Map.entry("spark.driver.bindAddress", "127.0.0.1"),
          // It would listen on all interfaces.
          Map.entry("spark.ui.enabled", "false"),
          Map.entry("spark.sql.session.timeZone", "UTC"),
          Map.entry("spark.sql.shuffle.partitions", "2"),
          // Otherwise the listing of 10,000 new files is a job of 10,000 tasks.
          Map.entry("spark.sql.sources.parallelPartitionDiscovery.parallelism", "2"),
          // A streaming query cannot use it and warns about it at every start.
          Map.entry("spark.sql.adaptive.enabled", "false"),
          // A small micro-batch never repays the compilation of its plan.
          Map.entry("spark.sql.codegen.wholeStage", "false"),
          // Delta reads the log of a table of a few files in as many tasks as that of a huge one.
          Map.entry("spark.databricks.delta.snapshotPartitions", "2"),
          // These keep Hadoop from forking readlink and chmod for each file it touches, and from
          // its native library on Windows.
          Map.entry("spark.hadoop.fs.file.impl", "streamingdeepdive.app.LocalFiles"),
          Map.entry(
              "spark.hadoop.fs.AbstractFileSystem.file.impl",
              "streamingdeepdive.app.LocalFiles$Context"),
          Map.entry(
              "spark.sql.streaming.checkpointFileManagerClass",
              "org.apache.spark.sql.execution.streaming.FileSystemBasedCheckpointFileManager"));

  /** One for all sessions of this JVM: Spark goes on using the first that it was given. */
  private static Path files;

  private LocalSpark() {}

  /**
   * {@return a session on a Spark context of its own, to be closed with {@link #close}}
   *
   * @param name the application's name
   * @throws UnsupportedOperationException if Spark cannot run on this JDK
   */
  public static synchronized SparkSession open(String name) {
    JavaRuntime.prepare();
    files = files == null ? DirectoryFeed.newDirectory("local-spark-") : files;
    files.toFile().mkdirs(); // the session before may have deleted it
    SparkContext context = new SparkContext(conf(name, files));
    SparkSession spark = SparkSession.builder().sparkContext(context).getOrCreate();
    spark.sessionState(); // now all of Hadoop's defaults are there
    dropDefaults(context.hadoopConfiguration());
    return spark;
  }

  /**
   * Spark sends the whole configuration to the tasks, once or more for each operator with state in
   * each micro-batch. Where a default is missing, Hadoop has the same in its code.
   */
  private static void dropDefaults(Configuration hadoop) {
    hadoop.getPropsWithPrefix("").keySet().stream()
        .filter(name -> !name.endsWith(".impl"))
        .filter(name -> hadoop.getPropertySources(name)[0].endsWith("-default.xml"))
        .forEach(hadoop::unset);
  }

  /** On data of the user's own spark-submit sets the session up. */
  static SparkSession open(String name, boolean isReplay) {
    boolean isSubmitted = System.getProperty("spark.master") != null;
    return isSubmitted && !isReplay ? SparkSession.builder().getOrCreate() : open(name);
  }

  /**
   * Stops a session and deletes Spark's own files. Spark leaves that to the end of the JVM, when a
   * main that Maven started has no class loader any more.
   *
   * @param spark a session that {@link #open} gave
   */
  public static void close(SparkSession spark) {
    spark.stop();
    deleteFiles();
  }

  static synchronized void deleteFiles() {
    if (files != null) {
      FileUtil.fullyDelete(files.toFile());
    }
  }

  static SparkConf conf(String name, Path files) {
    SparkConf conf = new SparkConf();
    SETTINGS.forEach(conf::setIfMissing);
    conf.setIfMissing("spark.app.name", name);
    conf.setIfMissing("spark.local.dir", files.toString());
    conf.setIfMissing("spark.sql.warehouse.dir", DirectoryFeed.uri(files.resolve("warehouse")));
    return conf;
  }
}
