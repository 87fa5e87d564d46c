package streamingdeepdive.app;

import java.io.IOException;
import java.net.URISyntaxException;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What lands in the input of a main that was given none.
 *
 * @param steps each is taken in and printed before the next one lands
 */
record Replay(List<Step> steps) {
  /**
   * Files that land together.
   *
   * @param heading what is printed above what the step led to
   * @param content what is printed of the files themselves
   * @param landing where they land
   */
  record Step(String heading, String content, List<SampleData.SampleFile> files, Landing landing) {
    void land() {
      files.forEach(file -> landing.land(file.name(), file.content()));
    }
  }

  /** One file of a folder after the other. */
  static Replay ofFolder(String folder, Landing landing) throws IOException, URISyntaxException {
    return new Replay(
        SampleData.read(folder).stream()
            .map(file -> new Step(file.name(), file.content(), List.of(file), landing))
            .toList());
  }

  /** One generated file after the other; the lines are too many to be printed. */
  static Replay ofGenerated(int files, IntFunction<String> lines, Landing landing) {
    return new Replay(
        IntStream.rangeClosed(1, files)
            .mapToObj(i -> new SampleData.SampleFile("%03d.json".formatted(i), lines.apply(i)))
            .map(file -> new Step(file.name(), "", List.of(file), landing))
            .toList());
  }

  /** Lands everything now; what is left is to see what it leads to. */
  Replay landed(Landing landing) {
    steps.forEach(Step::land);
    return new Replay(
        List.of(new Step("all files are there before the start", "", List.of(), landing)));
  }

  /** Both in the order of the files' names. */
  Replay mergedWith(Replay other) {
    return new Replay(
        Stream.concat(steps.stream(), other.steps.stream())
            .sorted(Comparator.comparing(Step::heading))
            .toList());
  }
}
