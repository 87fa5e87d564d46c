package streamingdeepdive.app;

import java.util.Map;
import org.apache.spark.SparkContext;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A directory of event files to read, and a directory to write to. */
final class FilesToDirectoryOptions implements InputOptions {
  @Mixin private DirectoryOptions input;

  @Option(
      names = "--output",
      paramLabel = "DIR",
      description = "With --input: write into this directory, on any Hadoop file system.")
  private String output;

  private final Map<String, String> settings;

  FilesToDirectoryOptions(Map<String, String> settings) {
    this.settings = settings;
  }

  @Override
  public String names() {
    return input.names();
  }

  @Override
  public String place() {
    return input.place();
  }

  /** Spark would go on without an extension that it does not find. */
  @Override
  public void requireUsable() {
    String extension = settings.get("spark.sql.extensions");
    try {
      if (extension != null) {
        Class.forName(extension, false, getClass().getClassLoader());
      }
    } catch (ClassNotFoundException e) {
      throw new UsageException(
          extension + " is not on the class path; add the library that has it.");
    }
  }

  @Override
  public void requireReadable(SparkContext context) {
    input.requireReadable(context);
  }

  @Override
  public Map<String, String> settings() {
    return settings;
  }

  @Override
  public boolean hasOutput() {
    return true;
  }

  @Override
  public String output() {
    return output;
  }
}
