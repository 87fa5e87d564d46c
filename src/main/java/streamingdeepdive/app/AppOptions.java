package streamingdeepdive.app;

import org.apache.spark.SparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.Trigger;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The command line of a main. */
@Command(sortOptions = false)
final class AppOptions {
  @Mixin final InputOptions input;

  @Option(
      names = "--checkpoint",
      paramLabel = "DIR",
      description = "With input of your own: where the next start resumes from.")
  String checkpoint;

  @Option(
      names = "--trigger",
      paramLabel = "INTERVAL",
      converter = IntervalTrigger.class,
      description =
          "With input of your own: start a micro-batch every so often, such as '10 seconds'.")
  private Trigger trigger;

  @Option(names = "--ui", description = "Serve Spark's UI on the loopback interface.")
  boolean ui;

  @Option(names = "--verbose", description = "Print the stack trace of a failure.")
  boolean verbose;

  @Option(names = "--help", usageHelp = true, description = "Print this and exit.")
  boolean help;

  AppOptions(InputOptions input) {
    this.input = input;
  }

  boolean isReplay() {
    return input.place() == null;
  }

  Trigger trigger() {
    return trigger == null ? Trigger.ProcessingTime(0) : trigger;
  }

  void requireConsistent() {
    if (isReplay() && (input.output() != null || checkpoint != null || trigger != null)) {
      throw new UsageException(
          (input.hasOutput() ? input.outputName() + ", --checkpoint" : "--checkpoint")
              + " and --trigger go with "
              + input.names()
              + "; the replay of the sample data has its own.");
    }
    if (!isReplay() && input.hasOutput() && (input.output() == null || checkpoint == null)) {
      throw new UsageException(
          "--input needs "
              + input.outputName()
              + " and --checkpoint here: they are kept, so that the next start can go on.");
    }
  }

  /** Spark itself would wait for ever on some of these, and fail late on others. */
  void requireUsable(SparkSession spark) {
    SparkContext context = spark.sparkContext();
    if (!context.isLocal() && (isReplay() || checkpoint == null)) {
      throw new UsageException(
          "On a cluster give "
              + input.names()
              + " and --checkpoint, places that all executors reach.");
    }
    if (!isReplay()) {
      input.requireReadable(context);
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
