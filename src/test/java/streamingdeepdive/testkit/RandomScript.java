package streamingdeepdive.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.sql.Row;

/** Adds, stops, restarts and crashes as a seed has it. */
final class RandomScript {
  private static final int LARGEST_PIECE = 4;

  private final List<Step> steps = new ArrayList<>();
  private final StringBuilder text = new StringBuilder();

  RandomScript(long seed, StreamInput input, List<Row> rows) {
    Random random = new Random(seed);
    List<Row> rest = rows;
    while (!rest.isEmpty()) {
      int size = Math.min(rest.size(), 1 + random.nextInt(LARGEST_PIECE));
      List<Row> piece = rest.subList(0, size);
      rest = rest.subList(size, rest.size());
      String rowsOfPiece = input + ", " + Values.java(piece);
      switch (random.nextInt(6)) {
        case 0 ->
            step(
                "crash(" + rowsOfPiece + ")", StreamScript.crash(input, piece.toArray(Row[]::new)));
        case 1 -> {
          step("stop()", StreamScript.stop());
          step("add(" + rowsOfPiece + ")", StreamScript.add(input, piece));
          step("start()", StreamScript.start());
        }
        case 2 -> {
          step("add(" + rowsOfPiece + ")", StreamScript.add(input, piece));
          step("crash()", StreamScript.crash());
        }
        case 3 -> {
          step("add(" + rowsOfPiece + ")", StreamScript.add(input, piece));
          step("restart()", StreamScript.restart());
        }
        default -> step("add(" + rowsOfPiece + ")", StreamScript.add(input, piece));
      }
    }
  }

  private void step(String code, Step step) {
    steps.add(step);
    text.append(",\n        ").append(code);
  }

  void run(ScriptRun script) throws Throwable {
    for (Step step : steps) {
      step.run(script);
    }
  }

  /** The steps as a script, from the second line on. */
  @Override
  public String toString() {
    return text.toString();
  }
}
