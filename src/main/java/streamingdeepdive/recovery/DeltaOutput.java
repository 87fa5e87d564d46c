package streamingdeepdive.recovery;

import io.delta.tables.DeltaTable;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Map;
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
  private final FileTree files;

  /**
   * Names a table, which need not exist yet.
   *
   * @param spark a session with Delta's extension and catalog
   * @param directory a directory on any Hadoop file system
   * @throws UncheckedIOException if there is no such file system
   */
  public DeltaOutput(SparkSession spark, String directory) {
    files = FileTree.at(spark, directory);
  }

  /**
   * Requires that the table belongs to the checkpoint. From another one Delta would take the same
   * rows a second time.
   *
   * @param checkpoint the checkpoint that the query is about to start on
   * @throws IllegalStateException if another query wrote the table, if it is gone, if it is newer
   *     than the checkpoint, or if the default locale has digits of its own
   */
  public void requireWrittenFrom(Checkpoint checkpoint) {
    requireDigitsOfTheLog();
    files.requireUnlessEmpty("_delta_log");
    String directory = files.toString();
    String output = "directory " + directory;
    // It refuses a session without Delta's settings, and goes on to know a table that was deleted.
    DeltaLog log = DeltaLog.forTable(files.spark(), directory);
    if (!DeltaTable.isDeltaTable(files.spark(), directory)) {
      checkpoint.requireComplete(output, -1);
      return;
    }
    Map<String, Object> last =
        JavaConverters.mapAsJavaMap(
            log.update(false, Option.empty(), Option.empty()).transactions());
    checkpoint.requireWriter(output, last.keySet(), "its rows would come a second time");
    // A micro-batch without rows makes no version, so the table may have fewer than are done.
    long written = last.values().stream().mapToLong(Long.class::cast).max().orElse(-1);
    checkpoint.requireNotAhead(output, written, "which Delta would pass over without a word");
  }

  private static void requireDigitsOfTheLog() {
    if (!"0".equals(String.format("%d", 0))) {
      throw new IllegalStateException(
          "Delta names the files of its log in the digits of the default locale, %s, and then looks for others without end; start Java with another locale, such as -Duser.language=en"
              .formatted(Locale.getDefault().toLanguageTag()));
    }
  }
}
