package streamingdeepdive.recovery;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.LongFunction;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.streaming.CommitLog;
import org.apache.spark.sql.execution.streaming.OffsetSeqLog;
import org.apache.spark.sql.execution.streaming.StreamMetadata;
import scala.Option;

/**
 * A checkpoint location, looked at before a query starts on it. Nothing in it is changed.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#recovering-from-failures-with-checkpointing">
 *     Guide: Recovering from Failures with Checkpointing</a>
 */
public final class Checkpoint {
  private final SparkSession spark;
  private final FileTree files;

  private Checkpoint(SparkSession spark, FileTree files) {
    this.spark = spark;
    this.files = files;
  }

  /**
   * Names a checkpoint, which need not exist yet.
   *
   * @param spark the session that the query will run in
   * @param location a directory on any Hadoop file system
   * @return the checkpoint
   * @throws UncheckedIOException if there is no such file system
   */
  public static Checkpoint at(SparkSession spark, String location) {
    return new Checkpoint(spark, FileTree.at(spark, location));
  }

  /**
   * Requires what holds for every sink: the checkpoint is whole, no query is running on it, and
   * input, output and checkpoint are apart. Spark would stop the running query without a word, and
   * a query with nested directories can read what it writes.
   *
   * @param query the query; the directories of its file sources are looked at
   * @param output the directory that it writes
   * @throws IllegalStateException if the checkpoint is damaged or in use by a query of this JVM
   * @throws IllegalArgumentException if one directory is inside another
   */
  public void requireUsable(Dataset<Row> query, String output) {
    Directories.requireApart(query, output, toString());
    requireUsable(query);
  }

  /**
   * Requires what {@link #requireUsable(Dataset, String)} does, for a sink that is no directory.
   *
   * @param query the query; the directories of its file sources are looked at
   * @throws IllegalStateException if the checkpoint is damaged or in use by a query of this JVM
   * @throws IllegalArgumentException if the checkpoint is inside an input, or the other way round
   */
  public void requireUsable(Dataset<Row> query) {
    Directories.requireApart(query, toString());
    requireNotRunning();
    lastPlanned().ifPresent(this::requireWholeOffsets);
    lastCommitted()
        .ifPresent(id -> requireWhole("commits", id, new CommitLog(spark, log("commits"))::get));
  }

  private void requireNotRunning() {
    if (queryId().filter(spark.sharedState().activeStreamingQueries()::containsKey).isPresent()) {
      throw new IllegalStateException(
          "The checkpoint location %s is in use by a running query. Stop that query first, or give this one a checkpoint location of its own."
              .formatted(files));
    }
  }

  /**
   * Keeps the name of a program in a directory of checkpoint locations; a later call must give the
   * same. Queries of another program would idle there without a word, or mix their state.
   *
   * @param program such as the name of a main's class
   * @throws IllegalStateException if another program's name is there, or this is a checkpoint
   *     itself
   */
  public void claim(String program) {
    Optional<String> owner = files.read(files.path("program"));
    if (queryId().isPresent()) {
      throw new IllegalStateException(
          "The directory %s is the checkpoint location of a query. Give %s a directory of its own."
              .formatted(files, program));
    }
    if (owner.isPresent() && !owner.get().equals(program)) {
      throw new IllegalStateException(
          "The directory %s holds the checkpoints of %s. Give %s a directory of its own."
              .formatted(files, owner.get(), program));
    }
    if (owner.isEmpty()) {
      try {
        files.write(files.path("program"), program);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** The id that the query keeps over all restarts; empty before its first start. */
  Optional<UUID> queryId() {
    Path metadata = files.path("metadata");
    Option<StreamMetadata> read;
    try {
      read = StreamMetadata.read(metadata, files.files().getConf());
    } catch (Exception e) { // Scala throws checked ones undeclared
      throw damaged(metadata, e);
    }
    return read.isEmpty() ? Optional.empty() : Optional.of(UUID.fromString(read.get().id()));
  }

  /** The newest micro-batch whose input is known; it may have run or not. */
  OptionalLong lastPlanned() {
    return files.lastBatchId("offsets");
  }

  /** The newest micro-batch that is known to be done. */
  OptionalLong lastCommitted() {
    return files.lastBatchId("commits");
  }

  private String log(String name) {
    return files.path(name).toString();
  }

  /** A query takes the end of its newest micro-batch from one file, the start from that before. */
  private void requireWholeOffsets(long newest) {
    OffsetSeqLog offsets = new OffsetSeqLog(spark, log("offsets"));
    for (long id = Math.max(0, newest - 1); id <= newest; id++) {
      requireWhole("offsets", id, offsets::get);
    }
  }

  private void requireWhole(String log, long batchId, LongFunction<Option<?>> read) {
    try {
      if (read.apply(batchId).isEmpty()) {
        throw new FileNotFoundException("it is gone");
      }
    } catch (Exception e) { // Scala throws checked ones undeclared
      throw damaged(new Path(log(log), Long.toString(batchId)), e);
    }
  }

  private static IllegalStateException damaged(Path file, Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return new IllegalStateException(
        "The checkpoint file "
            + file
            + " is damaged: "
            + String.valueOf(cause.getMessage()).lines().findFirst().orElse("")
            + ". Restore checkpoint and output as they were at one moment, or start anew with a new"
            + " checkpoint and a new output.",
        failure);
  }

  @Override
  public String toString() {
    return files.toString();
  }
}
