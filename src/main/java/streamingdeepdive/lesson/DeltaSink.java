package streamingdeepdive.lesson;

import io.delta.tables.DeltaTable;
import java.util.Map;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;
import streamingdeepdive.recovery.Checkpoint;
import streamingdeepdive.recovery.DeltaOutput;

/**
 * Totals as a Delta table. What does a table with a log of its versions give, that files or rows of
 * a database do not?
 *
 * <p>Each micro-batch makes a version of the table, and a reader sees a whole one, the newest or an
 * older one. The log keeps which micro-batch of which query has made a version, so that a replay
 * makes none. Final totals are appended; a total that still changes replaces its row by a {@code
 * MERGE}:
 *
 * <pre>{@code
 * == 04-closes-the-first-window.json
 * {"event_time":"2026-01-01T12:15:00Z","region":"us","amount":3.0}
 * +------+------------------------------------------+------+------------+
 * |query |window                                    |region|total_amount|
 * +------+------------------------------------------+------+------------+
 * |final |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|eu    |115.0       |
 * |final |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|us    |9.0         |
 * |newest|{2026-01-01 12:00:00, 2026-01-01 12:05:00}|eu    |115.0       |
 * |newest|{2026-01-01 12:00:00, 2026-01-01 12:05:00}|us    |9.0         |
 * |newest|{2026-01-01 12:05:00, 2026-01-01 12:10:00}|ap    |4.0         |
 * |newest|{2026-01-01 12:10:00, 2026-01-01 12:15:00}|eu    |1.0         |
 * |newest|{2026-01-01 12:15:00, 2026-01-01 12:20:00}|us    |3.0         |
 * +------+------------------------------------------+------+------------+
 *
 * +------+-------------------+----------+--------------------+
 * |query |watermark          |state rows|rows dropped as late|
 * +------+-------------------+----------+--------------------+
 * |final |2026-01-01 12:05:00|3         |0                   |
 * |newest|2026-01-01 12:05:00|3         |0                   |
 * +------+-------------------+----------+--------------------+
 * }</pre>
 *
 * <p>Five files later this is still what version 2 of the newest totals held:
 *
 * <pre>{@code
 * == version 2 of newest
 * +------------------------------------------+------+------------+
 * |window                                    |region|total_amount|
 * +------------------------------------------+------+------------+
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|eu    |15.0        |
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|us    |9.0         |
 * |{2026-01-01 12:05:00, 2026-01-01 12:10:00}|ap    |4.0         |
 * |{2026-01-01 12:10:00, 2026-01-01 12:15:00}|eu    |1.0         |
 * +------------------------------------------+------+------------+
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/DeltaSink.txt">DeltaSink.txt</a>.
 *
 * <p>The tempting alternative for totals that change is Delta's sink in update mode. It does not
 * start: {@code DeltaDataSource does not support Update output mode}.
 *
 * <p>On a new checkpoint Delta takes all rows once more, so a query is not built on one that did
 * not write the table, nor on one that is older than the table, in use or damaged. The exception
 * says what to do.
 *
 * <p>The library delta-spark is optional, so importers add it ({@code
 * io.delta:delta-spark_2.12:3.3.2}), and create their session with {@link #SETTINGS}; it must be
 * the active one when a query is built. The main does both by itself.
 *
 * <p>A replayed micro-batch of {@link #buildQuery} is passed over, so that its event times do not
 * move the watermark; the next one does. Old versions and small files stay until {@code VACUUM} and
 * {@code OPTIMIZE}, which are not handled here.
 *
 * @see <a href="https://docs.delta.io/3.3.2/delta-streaming.html">Delta: Table streaming reads and
 *     writes</a>
 */
public final class DeltaSink {
  /** What a session must be created with: Delta's extension and its catalog. */
  public static final Map<String, String> SETTINGS =
      Map.of(
          "spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension",
          "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog");

  private DeltaSink() {}

  /**
   * Appends each row once.
   *
   * @param totals any rows, of an aggregation only with a watermark
   * @param output a directory on any Hadoop file system, kept as long as the checkpoint
   * @param checkpoint a directory on any Hadoop file system
   * @return the query, to be started
   * @throws IllegalStateException if checkpoint and output do not belong together, or the
   *     checkpoint is in use or damaged
   * @throws IllegalArgumentException if input, output or checkpoint is inside another
   */
  public static DataStreamWriter<Row> buildQuery(
      Dataset<Row> totals, String output, String checkpoint) {
    requireUsable(totals, output, checkpoint);
    return totals
        .writeStream()
        .outputMode(OutputMode.Append())
        .format("delta")
        .option("path", output)
        .option("checkpointLocation", checkpoint);
  }

  /**
   * Keeps the newest total of each window and region, in update mode.
   *
   * @param totals {@code window} STRUCT, {@code region} STRING, {@code total_amount} DOUBLE
   * @param output a directory on any Hadoop file system, kept as long as the checkpoint
   * @param checkpoint a directory on any Hadoop file system
   * @return the query, to be started
   * @throws IllegalStateException if checkpoint and output do not belong together, or the
   *     checkpoint is in use or damaged
   * @throws IllegalArgumentException if input, output or checkpoint is inside another
   */
  public static DataStreamWriter<Row> buildUpdateQuery(
      Dataset<Row> totals, String output, String checkpoint) {
    requireUsable(totals, output, checkpoint);
    VoidFunction2<Dataset<Row>, Long> write =
        (batch, batchId) ->
            DeltaOutput.at(batch.sparkSession(), output)
                .merge(batch, batchId, "s.window = t.window AND s.region <=> t.region");
    return totals
        .writeStream()
        .outputMode(OutputMode.Update())
        .foreachBatch(write)
        .option("checkpointLocation", checkpoint);
  }

  private static void requireUsable(Dataset<Row> totals, String output, String checkpoint) {
    Checkpoint start = Checkpoint.at(totals.sparkSession(), checkpoint);
    start.requireUsable(totals, output);
    DeltaOutput.at(totals.sparkSession(), output).requireWrittenFrom(start);
  }

  /**
   * Reads the newest version.
   *
   * @param spark a session with {@link #SETTINGS}
   * @param output the directory of the table
   * @return a batch Dataset of {@code window} STRUCT of {@code start} and {@code end} TIMESTAMP,
   *     {@code region} STRING, {@code total_amount} DOUBLE; without rows if there is nothing yet
   */
  public static Dataset<Row> read(SparkSession spark, String output) {
    return DeltaOutput.at(spark, output).read(WindowedAggregation.SCHEMA);
  }

  /**
   * Reads an older version, also called time travel.
   *
   * @param spark a session with {@link #SETTINGS}
   * @param output the directory of the table
   * @param version its number, from {@link #history}
   * @return a batch Dataset of {@code window} STRUCT of {@code start} and {@code end} TIMESTAMP,
   *     {@code region} STRING, {@code total_amount} DOUBLE
   */
  public static Dataset<Row> readVersion(SparkSession spark, String output, long version) {
    return spark.read().format("delta").option("versionAsOf", version).load(output);
  }

  /**
   * Lists the versions.
   *
   * @param spark a session with {@link #SETTINGS}
   * @param output the directory of the table
   * @return a batch Dataset of {@code version} BIGINT and {@code operation} STRING
   */
  public static Dataset<Row> history(SparkSession spark, String output) {
    return DeltaTable.forPath(spark, output).history().select("version", "operation");
  }

  /**
   * Writes the totals both ways and prints what the tables hold, then the versions of the second.
   *
   * @param args see {@code --help}
   * @throws Exception if the query cannot start, or dies
   */
  public static void main(String[] args) throws Exception {
    SETTINGS.forEach(System::setProperty);
    try (LessonRun lesson =
        LessonRun.open(
            args,
            "Writes totals to Delta tables: once when they are final, and the latest.",
            "input",
            "output",
            "checkpoint")) {
      SparkSession spark = lesson.spark();
      Dataset<Row> sales = FileSource.read(spark, lesson.input("sales"));
      Dataset<Row> totals = WindowedAggregation.buildQuery(sales);
      String finals = lesson.output("final");
      String latest = lesson.output("latest");
      StreamingQuery once =
          buildQuery(totals, finals, lesson.checkpoint("final")).queryName("final").start();
      StreamingQuery each =
          buildUpdateQuery(totals, latest, lesson.checkpoint("latest")).queryName("latest").start();
      lesson.show(once, () -> read(spark, finals));
      lesson.show(each, () -> read(spark, latest));
      lesson.replay(once, each);
      lesson.printTable("the versions of latest", history(spark, latest));
      lesson.printTable("version 2 of latest", readVersion(spark, latest, 2));
    }
  }
}
