package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.min;
import static org.apache.spark.sql.functions.regexp_extract;

import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;

/**
 * State stores. Where does a query keep its state, and which files hold it?
 *
 * <p>The default store keeps all state rows on the heap of the executors. RocksDB, which comes with
 * Spark, keeps them outside of it and in local files. For each micro-batch either store writes a
 * version of the state into the checkpoint, per partition. These are the files of the same query
 * after eight micro-batches with two partitions:
 *
 * <pre>{@code
 * == files of the state
 * +----------------------+---------+-----+-------------+------------+
 * |store                 |kind     |files|first_version|last_version|
 * +----------------------+---------+-----+-------------+------------+
 * |RocksDB               |zip      |16   |1            |8           |
 * |RocksDB with changelog|changelog|16   |1            |8           |
 * |default store         |delta    |16   |1            |8           |
 * +----------------------+---------+-----+-------------+------------+
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/StateStores.txt">StateStores.txt</a>. The rows are
 * the same on all stores, after a restart and a crash too. A delta and a changelog hold what one
 * micro-batch changed. A zip lists the {@code .sst} files of a snapshot, which hold the rows and
 * which zips share. The setting {@link #CHANGELOG} can change at each start: a query goes on from
 * what it wrote without it, and back.
 *
 * <p>A snapshot of the default store is missing. It is made by the maintenance, which runs once a
 * minute: after more than ten deltas or ten changelogs it writes a snapshot, and it deletes what
 * the last hundred versions do not need, changelogs with the snapshot before them. The settings of
 * these numbers are {@code spark.sql.streaming.stateStore.maintenanceInterval}, {@code
 * spark.sql.streaming.stateStore.minDeltasForSnapshot} and {@code
 * spark.sql.streaming.minBatchesToRetain}.
 *
 * <p>The tempting alternative is to give RocksDB to a query that runs out of heap, and to start it
 * again. It starts without an error and goes on with the default store: the first micro-batch has
 * written the store's class into the checkpoint, and that takes precedence over {@link
 * #PROVIDER_CLASS}. Only a warning in the log says so. Another store needs a new checkpoint.
 *
 * <p>Not handled: RocksDB unpacks its native library into the directory for temporary files. If the
 * process is killed, the file stays there.
 *
 * <p>Before: {@link ArbitraryState}. Next: {@link Monitoring}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#state-store">
 *     Guide: State Store</a>
 */
public final class StateStores {
  /** The setting that names the class of the state store. */
  public static final String PROVIDER_CLASS = "spark.sql.streaming.stateStore.providerClass";

  /** The class of the state store on RocksDB, which comes with Spark. */
  public static final String ROCKSDB =
      "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider";

  /** The setting with which RocksDB writes what a micro-batch changed instead of a snapshot. */
  public static final String CHANGELOG =
      "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled";

  private StateStores() {}

  /**
   * Counts the files that hold the versions of the state, of all operators and partitions. Version
   * 1 is the state after the first micro-batch.
   *
   * @param spark the session
   * @param checkpoint the checkpoint location of a query with state
   * @return a batch Dataset of {@code kind} STRING, the files' extension; {@code files} BIGINT;
   *     {@code first_version} and {@code last_version} BIGINT
   */
  public static Dataset<Row> stateFiles(SparkSession spark, String checkpoint) {
    return spark
        .read()
        .format("binaryFile")
        .option("recursiveFileLookup", true)
        .option("pathGlobFilter", "*.{delta,snapshot,zip,changelog}")
        .load(checkpoint + "/state")
        .select(
            regexp_extract(col("path"), "\\w+$", 0).as("kind"),
            regexp_extract(col("path"), "(\\d+)\\.\\w+$", 1).cast("bigint").as("version"))
        .groupBy("kind")
        .agg(
            count("*").as("files"),
            min("version").as("first_version"),
            max("version").as("last_version"));
  }

  /**
   * Prints the updated totals of each micro-batch on each store, and the files of the stores.
   *
   * @param args none for the sample data, or {@code --input} and {@code --checkpoint}
   * @throws Exception if a query cannot start or fails
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson =
        LessonRun.open(args, "Keeps the same state in three ways.", "input", "checkpoint")) {
      SparkSession spark = lesson.spark();
      Dataset<Row> sales = FileSource.read(spark, lesson.input("sales"));
      // A query has the settings that its session has at the start.
      StreamingQuery onHeap = start(lesson, "default store", sales);
      spark.conf().set(PROVIDER_CLASS, ROCKSDB);
      StreamingQuery snapshots = start(lesson, "RocksDB", sales);
      spark.conf().set(CHANGELOG, true);
      StreamingQuery changelog = start(lesson, "RocksDB with changelog", sales);
      lesson.replay(onHeap, snapshots, changelog);
      lesson.printTable("files of the state", files(lesson, onHeap, snapshots, changelog));
    }
  }

  private static StreamingQuery start(LessonRun lesson, String store, Dataset<Row> sales)
      throws Exception {
    return FileSource.buildQuery(sales)
        .writeStream()
        .queryName(store)
        .outputMode(OutputMode.Update())
        .foreachBatch(lesson::print)
        .option("checkpointLocation", lesson.checkpoint(store))
        .start();
  }

  private static Dataset<Row> files(LessonRun lesson, StreamingQuery... queries) {
    Dataset<Row> files = null;
    for (StreamingQuery query : queries) {
      Column store = lit(query.name()).as("store");
      Dataset<Row> own =
          stateFiles(lesson.spark(), lesson.checkpoint(query.name())).select(store, col("*"));
      files = files == null ? own : files.union(own);
    }
    return files;
  }
}
