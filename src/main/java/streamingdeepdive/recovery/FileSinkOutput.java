package streamingdeepdive.recovery;

import static java.util.stream.Collectors.toSet;

import java.io.UncheckedIOException;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.streaming.FileStreamSink;
import org.apache.spark.sql.execution.streaming.FileStreamSinkLog;
import org.apache.spark.sql.types.StructType;
import scala.Option;

/**
 * A directory that Spark's file sink writes. The sink keeps a log of the files that each
 * micro-batch has written; a file outside the log was left by a run that was killed, and Spark's
 * readers pass it over.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#output-sinks">
 *     Guide: Output Sinks</a>
 */
public final class FileSinkOutput {
  private static final String LOG = FileStreamSink.metadataDir();

  private final FileTree files;

  /**
   * Names an output, which need not exist yet.
   *
   * @param spark the session that writes or reads it
   * @param directory a directory on any Hadoop file system
   * @throws UncheckedIOException if there is no such file system
   */
  public FileSinkOutput(SparkSession spark, String directory) {
    files = FileTree.at(spark, directory);
  }

  /**
   * Requires that the output holds what the checkpoint says is done, and no more. The sink passes
   * over each micro-batch whose number its log has: on a new checkpoint that loses rows without a
   * word.
   *
   * @param checkpoint the checkpoint that the query is about to start on
   * @throws IllegalStateException if another checkpoint wrote the output, or the output is gone
   */
  public void requireWrittenFrom(Checkpoint checkpoint) {
    files.requireUnlessEmpty(LOG);
    String output = "directory " + files;
    long written = files.lastBatchId(LOG);
    checkpoint.requireNotAhead(output, written, "which Spark would pass over without a word");
    checkpoint.requireComplete(output, written);
  }

  /**
   * Reads what the committed micro-batches have written.
   *
   * @param columns the columns to read, as DDL
   * @return a batch Dataset of these columns, without rows before the first micro-batch
   * @throws IllegalStateException if a part file that the log names, or the log, was deleted
   */
  public Dataset<Row> read(String columns) {
    // Spark creates the log's directory before it writes the first part file.
    files.requireUnlessEmpty(LOG);
    // The log before the files: a micro-batch that commits now is in neither or in the latter.
    List<Path> parts = files.lastBatchId(LOG) < 0 ? List.of() : partsInLog();
    requireAll(parts);
    SparkSession spark = files.spark();
    StructType schema = StructType.fromDDL(columns);
    return parts.isEmpty()
        ? spark.createDataFrame(List.of(), schema)
        : spark.read().schema(schema).parquet(files.toString()).selectExpr(schema.fieldNames());
  }

  /** A part file was written whole before the log named it, so it can only have been deleted. */
  private void requireAll(List<Path> parts) {
    Set<Path> present = files.list(files.root()).map(FileStatus::getPath).collect(toSet());
    for (Path part : parts) {
      // The log may name the same file system in another way than the listing does.
      if (!present.contains(part) && files.status(part).isEmpty()) {
        throw new IllegalStateException(
            "The part file %s is gone, and its rows with it. Restore it, or start anew with a new checkpoint and a new output."
                .formatted(part));
      }
    }
  }

  private List<Path> partsInLog() {
    int version = FileStreamSinkLog.VERSION();
    String path = files.path(LOG).toString();
    var log = new FileStreamSinkLog(version, files.spark(), path, Option.empty());
    return Arrays.stream(log.allFiles()).map(part -> new Path(URI.create(part.path()))).toList();
  }
}
