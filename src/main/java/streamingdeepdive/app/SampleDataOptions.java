package streamingdeepdive.app;

import java.util.Set;

/** No input of the user's own: what the main shows depends on the sample data. */
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
