package streamingdeepdive.recovery;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.streaming.StreamingRelation;
import scala.Option;
import scala.collection.JavaConverters;

/** Requires that the directories a query reads and writes are not inside one another. */
final class Directories {
  private static final Pattern GLOB = Pattern.compile("/[^/]*[*?\\[{].*");

  private Directories() {}

  private record Directory(String role, Path path) {
    boolean isInside(Directory other) {
      return Stream.iterate(path, p -> p != null, Path::getParent).anyMatch(other.path::equals);
    }
  }

  static void requireApart(Dataset<Row> query, String output, String checkpoint) {
    SparkSession spark = query.sparkSession();
    Directory written = directory(spark, "output", output);
    requireApart(written, directory(spark, "checkpoint", checkpoint));
    requireApartFromInputs(query, written);
  }

  static void requireApart(Dataset<Row> query, String checkpoint) {
    requireApartFromInputs(query, directory(query.sparkSession(), "checkpoint", checkpoint));
  }

  private static void requireApartFromInputs(Dataset<Row> query, Directory other) {
    for (String input : fileInputs(query)) {
      String directory = GLOB.matcher(input).replaceFirst("");
      requireApart(directory(query.sparkSession(), "input", directory), other);
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
