package streamingdeepdive.app;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.spark.deploy.SparkSubmit;
import org.apache.spark.deploy.master.Master;
import org.apache.spark.deploy.worker.Worker;
import org.apache.spark.launcher.JavaModuleOptions;
import org.apache.spark.sql.execution.streaming.FileSystemBasedCheckpointFileManager;

/**
 * A master and workers of Spark's standalone cluster, each a process of its own, on free ports of
 * the loopback interface. A worker has room for one executor of each of four programs.
 */
final class StandaloneCluster implements AutoCloseable {
  private static final long LIMIT_SECONDS = 60;
  private static final String EXECUTOR_MEMORY = "512m";
  private static final String WORKER_MEMORY = "2g";

  /** What the daemons say of themselves, on stdout. */
  private static final String LOGGING =
      """
      rootLogger.level = info
      rootLogger.appenderRef.stdout.ref = stdout
      appender.stdout.type = Console
      appender.stdout.name = stdout
      appender.stdout.layout.type = PatternLayout
      appender.stdout.layout.pattern = %p %c{1}: %m%n
      """;

  private final Path place;
  private final Path home;
  private final ChildJvm master;
  private final String url;
  private final List<ChildJvm> children = new ArrayList<>();

  private StandaloneCluster(Path place) throws IOException, InterruptedException {
    this.place = place;
    this.home = place.resolve("spark");
    Files.createDirectories(home.resolve("jars")); // Spark insists on the directory
    Files.createDirectories(home.resolve("conf"));
    Files.writeString(place.resolve("log4j2.properties"), LOGGING);
    this.master = daemon("master", Master.class, "--port", "0");
    String line = master.awaitLine("Starting Spark master at ");
    this.url = line.substring(line.indexOf("spark://"));
    Files.writeString(home.resolve("conf/spark-defaults.conf"), settings());
  }

  /**
   * Starts a master.
   *
   * @param place an empty directory
   */
  static StandaloneCluster start(Path place) throws IOException, InterruptedException {
    return new StandaloneCluster(place);
  }

  /**
   * What whoever runs a cluster gives to all who submit. The executors have the libraries; the
   * lesson itself comes from the driver.
   */
  private String settings() throws IOException, InterruptedException {
    Map<String, String> settings = new HashMap<>();
    settings.put("spark.master", url);
    settings.put("spark.driver.host", "127.0.0.1");
    settings.put("spark.driver.bindAddress", "127.0.0.1");
    settings.put("spark.ui.enabled", "false");
    settings.put("spark.cores.max", "1"); // and so one executor
    settings.put("spark.executor.memory", EXECUTOR_MEMORY);
    settings.put(
        "spark.executor.extraClassPath", String.join(File.pathSeparator, ChildJvm.LIBRARIES));
    settings.put("spark.executor.extraJavaOptions", ChildJvm.quickOptions());
    settings.put("spark.locality.wait", "0");
    settings.put("spark.sql.session.timeZone", "UTC");
    settings.put("spark.sql.shuffle.partitions", "2");
    // By default six idle queries look for data a hundred times a second each.
    settings.put("spark.sql.streaming.pollingDelay", "500ms");
    settings.put("spark.sql.codegen.wholeStage", "false");
    settings.put(
        "spark.sql.streaming.checkpointFileManagerClass",
        FileSystemBasedCheckpointFileManager.class.getName());
    return settings.entrySet().stream()
        .map(setting -> setting.getKey() + " " + setting.getValue() + "\n")
        .collect(Collectors.joining());
  }

  /** Starts a worker and waits until the master knows it. */
  ChildJvm startWorker() throws IOException, InterruptedException {
    ChildJvm worker =
        daemon(
            "worker-" + children.size(),
            Worker.class,
            "--port",
            "0",
            "--cores",
            "8",
            "--memory",
            WORKER_MEMORY,
            "--work-dir",
            place.resolve("executors").toString(),
            url);
    worker.awaitLine("Successfully registered with master");
    return worker;
  }

  /** Sends SIGKILL to a worker and to its executors, and waits until all are gone. */
  static void kill(ChildJvm worker) {
    List<ProcessHandle> executors =
        ProcessHandle.of(worker.pid()).stream().flatMap(ProcessHandle::descendants).toList();
    worker.close();
    executors.forEach(ProcessHandle::destroyForcibly);
    executors.forEach(
        executor -> executor.onExit().orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS).join());
  }

  /** Runs a driver in a process of its own: {@code spark-submit} with these arguments. */
  ChildJvm submit(String... args) throws IOException, InterruptedException {
    List<String> flags = new ArrayList<>(ChildJvm.QUICK);
    flags.addAll(
        List.of(JavaModuleOptions.defaultModuleOptions().split(" "))); // as the script does
    ChildJvm driver =
        ChildJvm.startIn(
            environment(),
            flags,
            place.resolve("driver-" + children.size()),
            SparkSubmit.class,
            args);
    children.add(driver);
    return driver;
  }

  private ChildJvm daemon(String name, Class<?> main, String... args)
      throws IOException, InterruptedException {
    List<String> flags = new ArrayList<>(ChildJvm.QUICK);
    flags.add("-Dlog4j2.configurationFile=" + place.resolve("log4j2.properties").toUri());
    List<String> all = new ArrayList<>(List.of("--host", "127.0.0.1", "--webui-port", "0"));
    all.addAll(List.of(args));
    ChildJvm child =
        ChildJvm.startIn(
            environment(), flags, place.resolve(name), main, all.toArray(String[]::new));
    children.add(child);
    return child;
  }

  private Map<String, String> environment() {
    return Map.of(
        "SPARK_HOME",
        home.toString(),
        "SPARK_SCALA_VERSION",
        "2.12",
        "SPARK_LOCAL_IP",
        "127.0.0.1", // of the web pages, too
        "JAVA_HOME",
        System.getProperty("java.home"));
  }

  /** Kills all that is left. */
  @Override
  public void close() {
    children.forEach(StandaloneCluster::kill);
  }
}
