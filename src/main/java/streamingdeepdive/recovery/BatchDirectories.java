package streamingdeepdive.recovery;

import static java.util.stream.Collectors.joining;
import static org.apache.spark.sql.functions.col;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Parquet files in one directory per micro-batch, {@code batch=0}, {@code batch=1} and so on: the
 * target of a {@code foreachBatch} that can be replayed, since a micro-batch replaces what it wrote
 * earlier and nothing else.
 *
 * <p>A micro-batch is read once the file {@code _parts} in its directory names its part files. A
 * replay writes new ones, has them named instead, then deletes the old. The file {@code _query_id}
 * in the output names the query that writes there.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#foreachbatch">
 *     Guide: ForeachBatch</a>
 */
public final class BatchDirectories {
  /** The column that {@link #read} adds: the number of the micro-batch, BIGINT. */
  public static final String BATCH = "batch";

  private static final String QUERY_ID = "_query_id";
  private static final String PARTS = "_parts";
  private static final Predicate<Path> IS_PARTS = file -> file.getName().equals(PARTS);

  private final SparkSession spark;
  private final FileTree files;

  private BatchDirectories(SparkSession spark, FileTree files) {
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
  public static BatchDirectories at(SparkSession spark, String directory) {
    return new BatchDirectories(spark, FileTree.at(spark, directory));
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
    Optional<String> queryId = checkpoint.queryId().map(UUID::toString);
    Optional<String> owner = files.read(files.path(QUERY_ID));
    if (owner.isPresent() && !owner.equals(queryId)) {
      throw new IllegalStateException(
          "The output "
              + files
              + " was written from another checkpoint than "
              + checkpoint
              + ", and its micro-batches would be replaced. Start on the checkpoint that wrote it,"
              + " or give the query a new output.");
    }
    long written = lastWritten();
    if (written > checkpoint.lastPlanned().orElse(-1)) {
      throw new IllegalStateException(
          "The output "
              + files
              + " is ahead of the checkpoint "
              + checkpoint
              + ": it has micro-batches up to "
              + written
              + ", whose rows would count as the newest. Start on the checkpoint that wrote it, as it"
              + " is now, or give the query a new output.");
    }
    if (owner.isEmpty() && checkpoint.lastCommitted().isPresent()) {
      throw new IllegalStateException(
          "The output "
              + files
              + " lacks what was written from the checkpoint "
              + checkpoint
              + ". Restore the output, or start anew with a new checkpoint and a new output.");
    }
  }

  /**
   * Writes one micro-batch, for {@code foreachBatch}. One without rows leaves no directory.
   *
   * @param batch the rows; they are computed once and completely, as a stateful query needs it
   * @param batchId the number of the micro-batch
   * @param partitionColumns columns to make further directories of
   * @throws IOException if it cannot be written
   * @throws IllegalStateException if another query writes here, or the output was deleted
   */
  public void write(Dataset<Row> batch, long batchId, String... partitionColumns)
      throws IOException {
    claim(batch.sparkSession().sparkContext().getLocalProperty("sql.streaming.queryId"), batchId);
    Path directory = files.path(BATCH + "=" + batchId);
    List<Path> earlier = partsIn(directory);
    batch.persist();
    try {
      if (batch.count() == 0) {
        files.files().delete(directory, true);
        return;
      }
      batch
          .write()
          .mode(SaveMode.Append)
          .partitionBy(partitionColumns)
          .parquet(directory.toString());
    } finally {
      batch.unpersist();
    }
    String parts =
        partsIn(directory).stream()
            .filter(part -> !earlier.contains(part))
            .map(part -> directory.toUri().relativize(part.toUri()).getPath())
            .collect(joining("\n"));
    files.write(new Path(directory, PARTS), parts);
    for (Path part : earlier) {
      files.files().delete(part, false);
    }
  }

  private List<Path> partsIn(Path directory) {
    return FileTree.at(spark, directory.toString())
        .list()
        .filter(file -> file.getName().endsWith(".parquet"))
        .toList();
  }

  /**
   * Reads what the micro-batches have written that are complete.
   *
   * @param columns the columns to read, as DDL
   * @return a batch Dataset of these columns and {@value #BATCH}, without rows before the first
   *     micro-batch
   * @throws IllegalStateException if a part file was deleted
   */
  public Dataset<Row> read(String columns) {
    List<Path> parts = files.list().filter(IS_PARTS).flatMap(this::partsNamedIn).toList();
    files.requireParts(parts);
    StructType schema = StructType.fromDDL(columns).add(BATCH, DataTypes.LongType);
    return parts.isEmpty()
        ? spark.createDataFrame(List.of(), schema)
        : spark
            .read()
            .option("basePath", files.toString())
            .parquet(parts.stream().map(Path::toString).toArray(String[]::new))
            .withColumn(BATCH, col(BATCH).cast(DataTypes.LongType))
            .selectExpr(schema.fieldNames());
  }

  /** Stores the query's id with its first micro-batch; later ones must find it. */
  private void claim(String queryId, long batchId) throws IOException {
    Path file = files.path(QUERY_ID);
    Optional<String> owner = files.read(file);
    if (owner.isEmpty() && batchId == 0) {
      files.write(file, queryId);
    } else if (!owner.equals(Optional.of(queryId))) {
      throw new IllegalStateException(
          file
              + (owner.isEmpty() ? " is gone" : " names another query")
              + ": the earlier rows of this query are not in this output. Restore it, or start anew"
              + " with a new checkpoint and a new output.");
    }
  }

  private long lastWritten() {
    return files
        .list()
        .filter(IS_PARTS)
        .mapToLong(file -> Long.parseLong(file.getParent().getName().substring(BATCH.length() + 1)))
        .max()
        .orElse(-1);
  }

  private Stream<Path> partsNamedIn(Path file) {
    return files.read(file).stream()
        .flatMap(String::lines)
        .map(name -> new Path(file.getParent(), name));
  }
}
