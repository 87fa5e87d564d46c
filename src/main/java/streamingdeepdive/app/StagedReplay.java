package streamingdeepdive.app;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileUtil;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;

/**
 * A replay of the sample data in parts, each taken in by a query that is started for it and stopped
 * after it. What fails is printed, and the replay goes on.
 */
public final class StagedReplay {
  private final String name;
  private final Path place;
  private final LandingDirectory landing;
  private final List<SampleData.SampleFile> sample;
  private final StepPrinter printer;
  private final StopSignal signal;
  private int landed;

  StagedReplay(
      String name,
      Path place,
      List<SampleData.SampleFile> sample,
      StepPrinter printer,
      StopSignal signal) {
    this.name = name;
    this.place = place;
    this.landing = new LandingDirectory(place.resolve("input"));
    this.sample = sample;
    this.printer = printer;
    this.signal = signal;
  }

  /**
   * Returns the directory in which the files land.
   *
   * @return a local directory of this replay
   */
  public String input() {
    return landing.uri();
  }

  /**
   * Returns the directory for what the query writes.
   *
   * @return a local directory of this replay
   */
  public String output() {
    return directory("output");
  }

  /**
   * Returns the query's checkpoint location.
   *
   * @return a local directory of this replay
   */
  public String checkpoint() {
    return directory("checkpoint");
  }

  private String directory(String directory) {
    return new org.apache.hadoop.fs.Path(place.resolve(directory).toUri()).toString();
  }

  /**
   * Lands files one by one before a query, then stops it.
   *
   * @param count how many files
   * @param program builds the query, with its sink and its checkpoint
   */
  public void run(int count, Callable<DataStreamWriter<Row>> program) {
    int first = landed + 1;
    String files = count == 1 ? "file " + first : "files %d to %d".formatted(first, landed + count);
    printer.printInput(name + ": " + files, "");
    orPrintFailure(() -> takeIn(sample.subList(landed, landed + count), program.call()));
    landed += count;
  }

  private void takeIn(List<SampleData.SampleFile> files, DataStreamWriter<Row> writer)
      throws TimeoutException {
    StreamingQuery query = writer.start();
    try {
      query.processAllAvailable();
      for (SampleData.SampleFile file : files) {
        if (signal.isReceived()) {
          return;
        }
        landing.land(file.name(), file.content());
        query.processAllAvailable();
      }
    } finally {
      query.stop();
    }
  }

  /**
   * Deletes a directory.
   *
   * @param directory {@code "output"} or {@code "checkpoint"}
   */
  public void delete(String directory) {
    printer.printInput("%s: the %s is deleted".formatted(name, directory), "");
    FileUtil.fullyDelete(place.resolve(directory).toFile());
  }

  /**
   * Prints the rows of a batch query, or why it cannot be read.
   *
   * @param table any batch Dataset
   */
  public void print(Supplier<Dataset<Row>> table) {
    orPrintFailure(() -> printer.printTable(table.get().collectAsList()));
  }

  @FunctionalInterface
  private interface Action {
    void run() throws Exception;
  }

  private void orPrintFailure(Action action) {
    if (signal.isReceived()) {
      return;
    }
    try {
      action.run();
    } catch (Exception e) {
      String prefix = Pattern.quote(directory("").replaceFirst("^file:/+", ""));
      printer.printFailure(FailureSentence.of(e).replaceAll("(file:)?/*" + prefix + "/?", ""));
    }
  }
}
