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
import org.apache.spark.sql.execution.streaming.SinkFileStatus;
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

  private final SparkSession spark;
  private final FileTree files;

  private FileSinkOutput(SparkSession spark, FileTree files) {
    this.spark = spark;
    this.files = files;
  }

  /**
   * Names an output, which need not exist yet.
   *
   * @param spark the session that writes or reads it
   * @param directory a directory on any Hadoop file system
   * @return the output
   * @throws UncheckedIOException if there is no such file system
   */
  public static FileSinkOutput at(SparkSession spark, String directory) {
    return new FileSinkOutput(spark, FileTree.at(spark, directory));
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
    long written = lastWritten();
    if (written > checkpoint.lastPlanned().orElse(-1)) {
      throw new IllegalStateException(
          "The output directory %s is ahead of the checkpoint location %s: it has micro-batches up to %s, which Spark would pass over without a word. Start on the checkpoint that wrote it, as it is now, or give the query a new output."
              .formatted(files, checkpoint, written));
    }
    long committed = checkpoint.lastCommitted().orElse(-1);
    if (written < committed) {
      throw new IllegalStateException(
          "The output directory %s lacks what was written from the checkpoint location %s, micro-batches %s to %s. Restore the output, or start anew with a new checkpoint and a new output."
              .formatted(files, checkpoint, written + 1, committed));
    }
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
    SinkFileStatus[] parts = lastWritten() < 0 ? new SinkFileStatus[0] : sinkLog().allFiles();
    requireAll(Arrays.stream(parts).map(part -> new Path(URI.create(part.path()))).toList());
    StructType schema = StructType.fromDDL(columns);
    return parts.length == 0
        ? spark.createDataFrame(List.of(), schema)
        : spark.read().schema(schema).parquet(files.toString()).selectExpr(schema.fieldNames());
  }

  /** A part file was written whole before the log named it, so it can only have been deleted. */
  private void requireAll(List<Path> parts) {
    Set<Path> present = files.list().map(FileStatus::getPath).collect(toSet());
    for (Path part : parts) {
      // The log may name the same file system in another way than the listing does.
      if (!present.contains(part) && files.status(part).isEmpty()) {
        throw new IllegalStateException(
            "The part file %s is gone, and its rows with it. Restore it, or start anew with a new checkpoint and a new output."
                .formatted(part));
      }
    }
  }

  private FileStreamSinkLog sinkLog() {
    return new FileStreamSinkLog(
        FileStreamSinkLog.VERSION(), spark, files.path(LOG).toString(), Option.empty());
  }

  private long lastWritten() {
    return files.lastBatchId(LOG).orElse(-1);
  }
}
