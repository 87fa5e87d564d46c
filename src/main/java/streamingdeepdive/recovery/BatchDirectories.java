package streamingdeepdive.recovery;

import static java.util.stream.Collectors.toMap;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.datasources.DataSource;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * A directory in which each micro-batch of one query overwrites Parquet files in a directory of its
 * own, {@code batch=0}, {@code batch=1} and so on. They are read once Spark has written {@code
 * _SUCCESS} there. The file {@code _query_id} names the query.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#foreachbatch">
 *     Guide: ForeachBatch</a>
 */
public final class BatchDirectories {
  /** The column that {@link #read} adds: the number of the micro-batch, BIGINT. */
  public static final String BATCH = "batch";

  private static final String QUERY_ID = "_query_id";
  private static final String COMPLETE = "_SUCCESS";

  private final FileTree files;

  /**
   * Names an output, which need not exist yet.
   *
   * @param spark the session that writes or reads it
   * @param directory a directory on any Hadoop file system
   * @throws UncheckedIOException if there is no such file system
   */
  public BatchDirectories(SparkSession spark, String directory) {
    files = FileTree.at(spark, directory);
  }

  /**
   * Requires that the output belongs to the checkpoint. On another one the numbers of the
   * micro-batches start anew, and its rows would replace rows that have nothing to do with them.
   *
   * @param checkpoint the checkpoint that the query is about to start on
   * @throws IllegalStateException if another query wrote the output, or the output is gone
   */
  public void requireWrittenFrom(Checkpoint checkpoint) {
    files.requireUnlessEmpty(QUERY_ID);
    String output = "directory " + files;
    List<String> queryIds = files.read(QUERY_ID).stream().toList();
    checkpoint.requireWriter(output, queryIds, "its micro-batches would be replaced");
    long written =
        complete().keySet().stream()
            .mapToLong(directory -> Long.parseLong(directory.getName().split("=")[1]))
            .max()
            .orElse(-1);
    checkpoint.requireNotAhead(output, written, "whose rows would count as the newest");
    checkpoint.requireComplete(output, written);
  }

  /**
   * Call it in {@code foreachBatch} before the micro-batch is written. What an earlier attempt
   * wrote is read no more from now on, so that nobody takes the rest of it for all of it.
   *
   * @param batchId the number of the micro-batch
   * @throws IOException if a file cannot be written or deleted
   * @throws IllegalStateException if another query writes here, or the output was deleted
   */
  public void prepare(long batchId) throws IOException {
    String queryId = files.spark().sparkContext().getLocalProperty("sql.streaming.queryId");
    Optional<String> owner = files.read(QUERY_ID);
    if (owner.isEmpty() && batchId == 0) {
      files.write(QUERY_ID, queryId);
    } else if (!owner.equals(Optional.of(queryId))) {
      throw new IllegalStateException(
          "%s %s: the earlier rows of this query are not in this output. Restore it, or start anew with a new checkpoint and a new output."
              .formatted(
                  files.path(QUERY_ID), owner.isEmpty() ? "is gone" : "names another query"));
    }
    files.files().delete(files.path(BATCH + "=" + batchId + "/" + COMPLETE), false);
  }

  /**
   * Reads what the micro-batches have written that are complete.
   *
   * @param columns the columns to read, as DDL
   * @return a batch Dataset of these columns and {@value #BATCH}, without rows before the first
   *     micro-batch
   * @throws IllegalStateException if a micro-batch is replayed meanwhile
   */
  public Dataset<Row> read(String columns) {
    SparkSession spark = files.spark();
    StructType schema = StructType.fromDDL(columns).add(BATCH, DataTypes.LongType);
    Map<Path, Long> before = complete();
    if (before.isEmpty()) {
      return spark.createDataFrame(List.of(), schema);
    }
    Dataset<Row> rows =
        spark
            .read()
            .schema(schema)
            .option("basePath", files.toString())
            .option(DataSource.GLOB_PATHS_KEY(), false) // names, no patterns
            .parquet(before.keySet().stream().map(Path::toString).toArray(String[]::new));
    // Spark has listed the part files. One that it found and that is deleted now is an error.
    if (!complete().entrySet().containsAll(before.entrySet())) {
      throw new IllegalStateException(
          "A micro-batch in %s was replayed while the files were listed. Read again."
              .formatted(files));
    }
    return rows.selectExpr(schema.fieldNames());
  }

  /** The directories that are complete, with the time since when they are. */
  private Map<Path, Long> complete() {
    return files
        .children(files.root())
        .filter(child -> child.getPath().getName().matches(BATCH + "=\\d+"))
        .flatMap(directory -> files.status(new Path(directory.getPath(), COMPLETE)).stream())
        .collect(toMap(mark -> mark.getPath().getParent(), FileStatus::getModificationTime));
  }
}
