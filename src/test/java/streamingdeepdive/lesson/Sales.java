package streamingdeepdive.lesson;

import static streamingdeepdive.testkit.Rows.at;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.Rows.window;
import static streamingdeepdive.testkit.StreamScript.addLines;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.Step;

/** Rows of the lessons and traps: sales go in, totals come out. */
public final class Sales {
  private Sales() {}

  public static Row sale(String time, String region, Double amount) {
    return row(at(time), region, amount);
  }

  public static Row total(String start, String end, String region, Double totalAmount) {
    return row(window(start, end), region, totalAmount);
  }

  /** Replays the sample data file by file; expectations can be added to the steps. */
  public static Step[] sampleData(FileStream sales) throws IOException {
    List<Step> steps = new ArrayList<>();
    try (Stream<Path> files = Files.list(Path.of("sample-data/sales"))) {
      for (Path file : files.sorted().toList()) {
        steps.add(addLines(sales, Files.readAllLines(file).toArray(String[]::new)));
      }
    }
    return steps.toArray(Step[]::new);
  }
}
