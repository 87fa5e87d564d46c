package streamingdeepdive.recovery;

import java.io.FileNotFoundException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.streaming.CommitLog;
import org.apache.spark.sql.execution.streaming.FileStreamSource.FileEntry;
import org.apache.spark.sql.execution.streaming.FileStreamSourceLog;
import org.apache.spark.sql.execution.streaming.HDFSMetadataLog;
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
  private final FileTree files;

  /**
   * Names a checkpoint, which need not exist yet.
   *
   * @param spark the session that the query will run in
   * @param location a directory on any Hadoop file system
   * @throws UncheckedIOException if there is no such file system
   */
  public Checkpoint(SparkSession spark, String location) {
    files = FileTree.at(spark, location);
  }

  /**
   * Requires what holds for every sink: the checkpoint is whole, no query is running on it, its
   * files were read from where the query reads, and inputs, outputs and checkpoint are apart. Spark
   * would stop the running query without a word, and read files again, or what the query writes.
   *
   * @param query the query; the directories of its file sources are looked at
   * @param outputs the directories that it writes; none if the sink is no directory
   * @throws IllegalStateException if the checkpoint is damaged, in use by a query of this JVM, or
   *     of other directories
   * @throws IllegalArgumentException if one directory is inside another
   */
  public void requireUsable(Dataset<Row> query, String... outputs) {
    Directory.requireApart(query, toString(), outputs);
    var running = files.spark().sharedState().activeStreamingQueries();
    if (queryId().filter(running::containsKey).isPresent()) {
      throw new IllegalStateException(
          "The checkpoint location %s is in use by a running query. Stop that query first, or give this one a checkpoint location of its own."
              .formatted(files));
    }
    // A query takes the end of its newest micro-batch from one file, the start from that before.
    readNewest("offsets", 2, log -> new OffsetSeqLog(files.spark(), log));
    readNewest("commits", 1, log -> new CommitLog(files.spark(), log));
    Directory.inputs(query).forEach((source, input) -> requireInput("sources/" + source, input));
  }

  /** Spark knows the files that it has read by their paths. */
  private void requireInput(String source, Directory input) {
    int version = FileStreamSourceLog.VERSION();
    FileEntry[] read =
        readNewest(source, 1, log -> new FileStreamSourceLog(version, files.spark(), log));
    Path file = read == null ? input.path() : read[read.length - 1].sparkPath().toPath();
    if (!new Directory("file", file, false).isInside(input)) {
      throw new IllegalStateException(
          "The checkpoint location %s has read %s, which is not in the %s; all files there would be read, those too that were read under other names. Give the directory its old name, or start anew with a new checkpoint and a new output."
              .formatted(this, file, input));
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
    Optional<String> owner = files.read("program");
    if (queryId().isPresent() || !owner.orElse(program).equals(program)) {
      throw new IllegalStateException(
          "The directory %s %s. Give %s a directory of its own."
              .formatted(
                  files,
                  owner
                      .filter(other -> !other.equals(program))
                      .map(other -> "holds the checkpoints of " + other)
                      .orElse("is the checkpoint location of a query"),
                  program));
    }
    if (owner.isEmpty()) {
      files.write("program", program);
    }
  }

  /** Requires that no other query is among those that wrote the output. */
  void requireWriter(String output, Collection<String> queryIds, String otherwise) {
    if (!queryId().map(UUID::toString).stream().toList().containsAll(queryIds)) {
      throw new IllegalStateException(
          "The output %s was written from another checkpoint location than %s, and %s. Start on the checkpoint that wrote it, or give the query a new output."
              .formatted(output, this, otherwise));
    }
  }

  /** Requires that the output has no micro-batch that is not even planned. */
  void requireNotAhead(String output, long written, String otherwise) {
    if (written > files.lastBatchId("offsets")) {
      throw new IllegalStateException(
          "The output %s is ahead of the checkpoint location %s: it has micro-batches up to %s, %s. Start on the checkpoint that wrote it, as it is now, or give the query a new output."
              .formatted(output, this, written, otherwise));
    }
  }

  /** Requires that the output has every micro-batch that is done. */
  void requireComplete(String output, long written) {
    long done = files.lastBatchId("commits");
    if (written < done) {
      throw new IllegalStateException(
          "The output %s lacks what was written from the checkpoint location %s, micro-batches %s to %s. Restore the output, or start anew with a new checkpoint and a new output."
              .formatted(output, this, written + 1, done));
    }
  }

  /** The id that the query keeps over all restarts; empty before its first start. */
  private Optional<UUID> queryId() {
    Path metadata = files.path("metadata");
    Option<StreamMetadata> read;
    try {
      read = StreamMetadata.read(metadata, files.spark().sessionState().newHadoopConf());
    } catch (Exception e) { // Scala throws checked ones undeclared
      throw damaged(metadata, e);
    }
    return read.isEmpty() ? Optional.empty() : Optional.of(UUID.fromString(read.get().id()));
  }

  /** The newest entry of one of Spark's logs; null if it is empty. Those before are read, too. */
  private <T> T readNewest(String log, int count, Function<String, HDFSMetadataLog<T>> open) {
    T entry = null;
    long newest = files.lastBatchId(log);
    for (long id = Math.max(0, newest - count + 1); id <= newest; id++) {
      try {
        Option<T> found = open.apply(files.path(log).toString()).get(id);
        if (found.isEmpty()) {
          throw new FileNotFoundException("it is gone");
        }
        entry = found.get();
      } catch (Exception e) { // Scala throws checked ones undeclared
        throw damaged(files.path(log + "/" + id), e);
      }
    }
    return entry;
  }

  private static IllegalStateException damaged(Path file, Throwable failure) {
    String damage = String.valueOf(ExceptionUtils.getRootCause(failure).getMessage());
    return new IllegalStateException(
        "The checkpoint file %s is damaged: %s. Restore checkpoint and output as they were at one moment, or start anew with a new checkpoint and a new output."
            .formatted(file, damage.lines().findFirst().orElse("")));
  }

  @Override
  public String toString() {
    return files.toString();
  }
}
