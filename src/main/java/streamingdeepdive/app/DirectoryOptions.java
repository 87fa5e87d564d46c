package streamingdeepdive.app;

import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkContext;
import picocli.CommandLine.Option;

/** A directory of event files. */
final class DirectoryOptions implements InputOptions {
  @Option(
      names = "--input",
      paramLabel = "DIR",
      description =
          "Follow this directory, on any Hadoop file system, until stopped."
              + " Without it the sample data is replayed.")
  private String input;

  @Override
  public String names() {
    return "--input";
  }

  @Override
  public String place() {
    return input;
  }

  @Override
  public void requireReadable(SparkContext context) {
    Path directory = new Path(input);
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
}
