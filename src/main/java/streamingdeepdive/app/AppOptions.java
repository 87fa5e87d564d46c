package streamingdeepdive.app;

import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.Trigger;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The command line of a main that reads files of events. */
@Command(sortOptions = false)
final class AppOptions {
  @Option(
      names = "--input",
      paramLabel = "DIR",
      description =
          "Follow this directory, on any Hadoop file system, until stopped."
              + " Without it the sample data is replayed.")
  String input;

  @Option(
      names = "--checkpoint",
      paramLabel = "DIR",
      description = "With --input: where the next start resumes from.")
  String checkpoint;

  @Option(
      names = "--output",
      paramLabel = "DIR",
      description = "With --input: where a main that writes files writes them.")
  String output;

  @Option(
      names = "--trigger",
      paramLabel = "INTERVAL",
      converter = IntervalTrigger.class,
      description = "With --input: start a micro-batch every so often, such as '10 seconds'.")
  private Trigger trigger;

  @Option(names = "--ui", description = "Serve Spark's UI on the loopback interface.")
  boolean ui;

  @Option(names = "--verbose", description = "Print the stack trace of a failure.")
  boolean verbose;

  @Option(names = "--help", usageHelp = true, description = "Print this and exit.")
  boolean help;

  boolean isReplay() {
    return input == null;
  }

  Trigger trigger() {
    return trigger == null ? Trigger.ProcessingTime(0) : trigger;
  }

  void requireConsistent() {
    if (isReplay() && (checkpoint != null || trigger != null || output != null)) {
      throw new UsageException(
          "--checkpoint, --output and --trigger go with --input; the replay of the sample data has"
              + " its own.");
    }
  }

  /** Spark itself would wait for ever on some of these, and fail late on others. */
  void requireUsable(SparkSession spark) {
    SparkContext context = spark.sparkContext();
    if (!context.isLocal() && (isReplay() || checkpoint == null)) {
      throw new UsageException(
          "On a cluster give --input and --checkpoint, directories that all executors reach.");
    }
    if (!isReplay()) {
      requireDirectory(new Path(input), context);
    }
  }

  private static void requireDirectory(Path directory, SparkContext context) {
    try {
      FileSystem files = directory.getFileSystem(context.hadoopConfiguration());
      if (!files.exists(directory)) {
        throw new UsageException(
            "--input " + directory + " does not exist; name a directory of event files.");
      }
      if (!files.getFileStatus(directory).isDirectory()) {
        throw new UsageException("--input " + directory + " is a file; name its directory.");
      }
    } catch (IOException e) {
      throw new UsageException("--input " + directory + " cannot be read: " + e.getMessage());
    }
  }

  static final class IntervalTrigger implements ITypeConverter<Trigger> {
    @Override
    public Trigger convert(String interval) {
      try {
        return Trigger.ProcessingTime(interval);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(
            "'" + interval + "' is not an interval such as '10 seconds'");
      }
    }
  }
}
