package streamingdeepdive.app;

import java.io.OutputStream;
import java.io.PrintStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.util.ShutdownHookManager;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.execution.streaming.StreamingQueryWrapper;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.slf4j.LoggerFactory;

/**
 * Keeps what a main prints readable: warnings while it runs, one sentence if it fails, nothing on
 * Ctrl-C or SIGTERM, which end it in the middle of whatever it does.
 */
final class ProgramEnd {
  private static final String LOGGING = "log4j2.configurationFile";
  private static final int BEFORE_SPARK = 100;
  private static final int AFTER_SPARK = 10;
  private static final long LIMIT_SECONDS = 4;
  private static final int SIGTERM = 128 + 15;

  private final Runnable beQuick = this::beQuick;
  private final Runnable cleanUp = this::cleanUp;
  private final Path scratch;

  /** Call it when the log is quiet: Hadoop's hooks create a logger. */
  ProgramEnd(Path scratch) {
    this.scratch = scratch;
    ShutdownHookManager.get().addShutdownHook(beQuick, BEFORE_SPARK);
    ShutdownHookManager.get().addShutdownHook(cleanUp, AFTER_SPARK);
  }

  /** Log4j2 reads its configuration with the first logger, so this comes before Spark's. */
  static void quieten() {
    if (Thread.getDefaultUncaughtExceptionHandler() == null) {
      Thread.setDefaultUncaughtExceptionHandler(
          (thread, failure) -> System.err.println(sentence(failure)));
    }
    if (System.getProperty(LOGGING) != null
        || System.getProperty("log4j.configurationFile") != null
        || System.getenv("LOG4J_CONFIGURATION_FILE") != null) {
      return;
    }
    System.setProperty(LOGGING, "classpath:streamingdeepdive/app/log4j2-main.properties");
    try {
      LoggerFactory.getLogger(ProgramEnd.class);
    } finally {
      System.clearProperty(LOGGING);
    }
  }

  /** Says in one line why something failed. */
  static String sentence(Throwable failure) {
    Throwable root = ExceptionUtils.getRootCause(failure);
    // Below it Spark adds the query's plan, with the passwords among the options of its source.
    String line = String.valueOf(root.getMessage()).lines().findFirst().orElse("");
    if (root instanceof UnknownHostException) {
      return "The host " + line + " is unknown; check the address.";
    }
    if (root instanceof ConnectException) {
      return line + "; start the server first, or check its host and port.";
    }
    if (root instanceof ClassNotFoundException) {
      return "The class " + line + " is missing; add the library that has it to the class path.";
    }
    return root.getMessage() == null ? root.toString() : line;
  }

  /** Waits for a moment. Of a file that cannot be read Spark does not always give the name. */
  static boolean hasCome(StreamingQuery query) throws Exception {
    try {
      return query.awaitTermination(100);
    } catch (StreamingQueryException e) {
      if (!ExceptionUtils.getStackTrace(e).contains("FileScanRDD")) {
        throw e;
      }
      var batch = ((StreamingQueryWrapper) query).streamingQuery().lastExecution();
      Stream<String> files = Stream.of(new Dataset<>(batch, Encoders.STRING()).inputFiles());
      throw new IllegalStateException(
          "The input %s cannot be read: %s. Put a whole file in its place, or rename or delete it, and start again."
              .formatted(files.map(f -> URI.create(f).getPath()).toList(), sentence(e)));
    }
  }

  /** What a signal interrupts is done again at the next start, so its errors are of no interest. */
  private void beQuick() {
    Configurator.setAllLevels(LogManager.ROOT_LOGGER_NAME, Level.OFF);
    System.setErr(new PrintStream(OutputStream.nullOutputStream()));
    CompletableFuture.delayedExecutor(LIMIT_SECONDS, TimeUnit.SECONDS)
        .execute(
            () -> {
              cleanUp();
              Runtime.getRuntime().halt(SIGTERM);
            });
  }

  /** While a signal ends the process this does not return: what comes after it would only fail. */
  void close(Runnable session) {
    while (ShutdownHookManager.get().isShutdownInProgress()) {
      LockSupport.park();
    }
    session.run();
    ShutdownHookManager.get().removeShutdownHook(beQuick);
    ShutdownHookManager.get().removeShutdownHook(cleanUp);
    cleanUp();
  }

  private void cleanUp() {
    FileUtil.fullyDelete(scratch.toFile());
    LocalSpark.deleteFiles();
  }
}
