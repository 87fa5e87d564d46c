package streamingdeepdive.app;

import org.apache.spark.SparkContext;
import picocli.CommandLine.Mixin;

/** A directory of event files to read, and a topic to write to. */
final class FilesToTopicOptions implements InputOptions {
  @Mixin private DirectoryOptions input;
  @Mixin private TopicOptions output;

  @Override
  public String names() {
    return input.names() + ", " + output.names();
  }

  @Override
  public String place() {
    return input.place();
  }

  Topic topic() {
    return output.topic();
  }

  @Override
  public void requireUsable() {
    if ((input.place() == null) != (output.place() == null)) {
      throw new UsageException(
          "--input goes with --bootstrap-servers and --topic; give all of them or none.");
    }
    output.requireUsable();
  }

  @Override
  public void requireReadable(SparkContext context) {
    input.requireReadable(context);
  }
}
