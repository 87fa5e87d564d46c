package streamingdeepdive.recovery;

import java.net.URI;
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

/** Requires that the directories a query reads and writes are not inside one another. */
final class Directories {
  private Directories() {}

  /**
   * @param path with the scheme; that of an input can have wildcards
   */
  private record Directory(String role, Path path) {
    boolean isInside(Directory other) {
      URI here = path.toUri();
      URI there = other.path.toUri();
      List<String> names = names();
      List<String> others = other.names();
      return Objects.equals(here.getScheme(), there.getScheme())
          && Objects.equals(here.getAuthority(), there.getAuthority())
          && others.size() <= names.size()
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
  }

  static void requireApart(Dataset<Row> query, String output, String checkpoint) {
    SparkSession spark = query.sparkSession();
    Directory written = directory(spark, "output directory", output);
    requireApart(written, directory(spark, "checkpoint location", checkpoint));
    requireApartFromInputs(query, written);
  }

  static void requireApart(Dataset<Row> query, String checkpoint) {
    requireApartFromInputs(
        query, directory(query.sparkSession(), "checkpoint location", checkpoint));
  }

  private static void requireApartFromInputs(Dataset<Row> query, Directory other) {
    for (String input : fileInputs(query)) {
      requireApart(directory(query.sparkSession(), "input directory", input), other);
    }
  }

  private static void requireApart(Directory one, Directory other) {
    if (one.isInside(other) || other.isInside(one)) {
      throw new IllegalArgumentException(
          "The %s %s and the %s %s are inside one another. Give each a directory of its own."
              .formatted(one.role, one.path, other.role, other.path));
    }
  }

  private static Directory directory(SparkSession spark, String role, String path) {
    return new Directory(role, FileTree.at(spark, path).root());
  }

  private static List<String> fileInputs(Dataset<Row> query) {
    return JavaConverters.seqAsJavaList(query.queryExecution().analyzed().collectLeaves()).stream()
        .filter(StreamingRelation.class::isInstance)
        .map(leaf -> ((StreamingRelation) leaf).dataSource().options().get("path"))
        .filter(Option::isDefined)
        .map(Option::get)
        .toList();
  }
}
