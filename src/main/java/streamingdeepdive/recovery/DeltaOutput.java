package streamingdeepdive.recovery;

import io.delta.tables.DeltaTable;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.delta.DeltaLog;
import scala.Option;
import scala.collection.JavaConverters;

/**
 * A Delta table that one streaming query writes. Its log keeps the id of the query and the number
 * of the last micro-batch with the version that this has made, so that Delta passes over a replay.
 *
 * @see <a href="https://docs.delta.io/3.3.2/delta-streaming.html">Delta: Table streaming reads and
 *     writes</a>
 */
public final class DeltaOutput {
  private final SparkSession spark;
  private final String directory;

  private DeltaOutput(SparkSession spark, String directory) {
    this.spark = spark;
    this.directory = directory;
  }

  /**
   * Names a table, which need not exist yet.
   *
   * @param spark a session with Delta's extension and catalog
   * @param directory a directory on any Hadoop file system
   * @return the table
   */
  public static DeltaOutput at(SparkSession spark, String directory) {
    return new DeltaOutput(spark, FileTree.at(spark, directory).toString());
  }

  /**
   * Requires that the table belongs to the checkpoint. From another one Delta would take the same
   * rows a second time.
   *
   * @param checkpoint the checkpoint that the query is about to start on
   * @throws IllegalStateException if another query wrote the table, if it is gone, or newer than
   *     the checkpoint
   */
  public void requireWrittenFrom(Checkpoint checkpoint) {
    FileTree.at(spark, directory).requireUnlessEmpty("_delta_log");
    // It refuses a session without Delta's settings, and goes on to know a table that was deleted.
    DeltaLog log = DeltaLog.forTable(spark, directory);
    if (!DeltaTable.isDeltaTable(spark, directory)) {
      if (checkpoint.lastCommitted().isPresent()) {
        throw new IllegalStateException(
            "The output directory %s lacks what was written from the checkpoint location %s. Restore the output, or start anew with a new checkpoint and a new output."
                .formatted(directory, checkpoint));
      }
      return;
    }
    Map<String, Object> written =
        JavaConverters.mapAsJavaMap(
            log.update(false, Option.empty(), Option.empty()).transactions());
    Optional<String> queryId = checkpoint.queryId().map(UUID::toString);
    long last = queryId.map(written::get).map(Long.class::cast).orElse(-1L);
    if (written.size() > (last < 0 ? 0 : 1) || last > checkpoint.lastPlanned().orElse(-1)) {
      throw new IllegalStateException(
          "The output directory %s was written from another checkpoint location than %s, and its rows would come a second time. Start on the checkpoint that wrote it, or give the query a new output."
              .formatted(directory, checkpoint));
    }
  }
}
