package streamingdeepdive.recovery;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.GlobPattern;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.streaming.StreamingRelation;
import scala.Option;
import scala.collection.JavaConverters;

/** What a query reads or writes; the path of an input can have wildcards. */
record Directory(String role, Path path) {
  /** Requires that the directories a query reads and writes are not inside one another. */
  static void requireApart(Dataset<Row> query, String checkpoint, String... outputs) {
    SparkSession spark = query.sparkSession();
    List<Directory> inputs =
        JavaConverters.seqAsJavaList(query.queryExecution().analyzed().collectLeaves()).stream()
            .filter(StreamingRelation.class::isInstance)
            .map(leaf -> ((StreamingRelation) leaf).dataSource().options().get("path"))
            .filter(Option::isDefined)
            .map(path -> of(spark, "input directory", path.get()))
            .toList();
    List<Directory> all = new ArrayList<>(inputs);
    for (String output : outputs) {
      all.add(of(spark, "output directory", output));
    }
    all.add(of(spark, "checkpoint location", checkpoint));
    // Inputs may be inside one another.
    for (int written = inputs.size(); written < all.size(); written++) {
      for (Directory other : all.subList(0, written)) {
        other.requireApartFrom(all.get(written));
      }
    }
  }

  private static Directory of(SparkSession spark, String role, String path) {
    return new Directory(role, FileTree.at(spark, path).root());
  }

  private void requireApartFrom(Directory other) {
    if (isInside(other) || other.isInside(this)) {
      throw new IllegalArgumentException(
          "The %s and the %s are inside one another. Give each a directory of its own."
              .formatted(this, other));
    }
  }

  private boolean isInside(Directory other) {
    List<String> names = names();
    List<String> others = other.names();
    return others.size() <= names.size()
        && Objects.equals(path.toUri().getScheme(), other.path.toUri().getScheme())
        && Objects.equals(path.toUri().getAuthority(), other.path.toUri().getAuthority())
        && IntStream.range(0, others.size()).allMatch(i -> match(names.get(i), others.get(i)));
  }

  private List<String> names() {
    return Arrays.stream(path.toUri().getPath().split("/")).filter(n -> !n.isEmpty()).toList();
  }

  private static boolean match(String one, String other) {
    return one.equals(other)
        || new GlobPattern(one).matches(other)
        || new GlobPattern(other).matches(one);
  }

  @Override
  public String toString() {
    return role + " " + path;
  }
}
