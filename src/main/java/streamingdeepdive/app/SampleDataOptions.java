package streamingdeepdive.app;

import java.util.Set;
import picocli.CommandLine.Command;

/** No input of the user's own: what the main shows depends on the sample data. */
@Command
final class SampleDataOptions implements InputOptions {
  @Override
  public String names() {
    return "the sample data";
  }

  @Override
  public String place() {
    return null;
  }

  @Override
  public Set<String> excluded() {
    return Set.of("--checkpoint", "--trigger");
  }
}
