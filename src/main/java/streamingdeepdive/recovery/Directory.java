package streamingdeepdive.recovery;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.GlobPattern;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.streaming.StreamingRelation;
import scala.Some;
import scala.collection.JavaConverters;

/** What a query reads or writes; the path of an input is a pattern. */
record Directory(String role, Path path, boolean isPattern) {
  /** What the query's file sources read, by the number that a checkpoint gives to each source. */
  static Map<Integer, Directory> inputs(Dataset<Row> query) {
    List<LogicalPlan> sources =
        JavaConverters.seqAsJavaList(query.queryExecution().analyzed().collectLeaves()).stream()
            .filter(LogicalPlan::isStreaming)
            .distinct()
            .toList();
    Map<Integer, Directory> inputs = new TreeMap<>();
    for (int i = 0; i < sources.size(); i++) {
      if (sources.get(i) instanceof StreamingRelation source
          && source.dataSource().options().get("path") instanceof Some<String> path) {
        inputs.put(i, of(query.sparkSession(), "input directory", path.get(), true));
      }
    }
    return inputs;
  }

  /** Requires that the directories a query reads and writes are not inside one another. */
  static void requireApart(Dataset<Row> query, String checkpoint, String... outputs) {
    SparkSession spark = query.sparkSession();
    List<Directory> all = new ArrayList<>(inputs(query).values());
    int inputs = all.size();
    for (String output : outputs) {
      all.add(of(spark, "output directory", output, false));
    }
    all.add(of(spark, "checkpoint location", checkpoint, false));
    // Inputs may be inside one another.
    for (int written = inputs; written < all.size(); written++) {
      for (Directory other : all.subList(0, written)) {
        if (other.isInside(all.get(written)) || all.get(written).isInside(other)) {
          throw new IllegalArgumentException(
              "The %s and the %s are inside one another. Give each a directory of its own."
                  .formatted(other, all.get(written)));
        }
      }
    }
  }

  private static Directory of(SparkSession spark, String role, String path, boolean isPattern) {
    return new Directory(role, FileTree.at(spark, path).root(), isPattern);
  }

  boolean isInside(Directory other) {
    List<String> names = names();
    List<String> others = other.names();
    return others.size() <= names.size()
        && path.toUri().resolve("/").equals(other.path.toUri().resolve("/"))
        && IntStream.range(0, others.size())
            .allMatch(
                i ->
                    matches(names.get(i), others.get(i))
                        || other.matches(others.get(i), names.get(i)));
  }

  private List<String> names() {
    return Arrays.stream(path.toUri().getPath().split("/")).filter(n -> !n.isEmpty()).toList();
  }

  private boolean matches(String name, String other) {
    return name.equals(other) || isPattern && new GlobPattern(name).matches(other);
  }

  @Override
  public String toString() {
    return role + " " + path;
  }
}
