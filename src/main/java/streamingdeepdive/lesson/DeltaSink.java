package streamingdeepdive.lesson;

import io.delta.tables.DeltaTable;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.types.StructType;
import streamingdeepdive.app.LessonRun;
import streamingdeepdive.recovery.Checkpoint;
import streamingdeepdive.recovery.DeltaOutput;

/**
 * Totals as a Delta table. What does a table with a log of its versions give, that files or rows of
 * a database do not?
 *
 * <p>What a micro-batch writes becomes a version of the table, and a reader sees a whole one, the
 * newest or an older one. Version 0 of the latest totals is the empty table, and a micro-batch
 * without rows makes none there. The log keeps which micro-batch of which query has made a version,
 * so that a replay makes none. Final totals are appended; a total that still changes replaces its
 * row by a {@code MERGE}. At the end this is still what version 2 of the latest totals held:
 *
 * <pre>{@code
 * == version 2 of latest
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
 * start: {@code DeltaDataSource does not support Update output mode}. On another checkpoint Delta
 * would take all rows once more, so such a query is not built. Nor is one in a default locale with
 * digits of its own, such as Persian: Delta would look for its log without end.
 *
 * <p>Importers add {@code io.delta:delta-spark_2.12:3.3.2} and create their session with {@link
 * #SETTINGS}. A replayed micro-batch of {@link #buildQuery} is passed over, so that its event times
 * do not move the watermark. Old versions and small files stay until {@code VACUUM} and {@code
 * OPTIMIZE}, which are not handled here.
 *
 * <p>Before: {@link JdbcSink}. Next: {@link KafkaSink}. Trap: {@link
 * streamingdeepdive.trap.LostCheckpoint}.
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
   * @throws IllegalStateException if checkpoint and output do not belong together, the checkpoint
   *     is in use or damaged, or the default locale has digits of its own
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
   * Keeps the latest total of each window and region, in update mode.
   *
   * @param totals the columns of {@link WindowedAggregation#SCHEMA}
   * @param output a directory on any Hadoop file system, kept as long as the checkpoint
   * @param checkpoint a directory on any Hadoop file system
   * @return the query, to be started
   * @throws IllegalStateException if checkpoint and output do not belong together, the checkpoint
   *     is in use or damaged, or the default locale has digits of its own
   * @throws IllegalArgumentException if input, output or checkpoint is inside another, or the
   *     totals have other columns
   */
  public static DataStreamWriter<Row> buildUpdateQuery(
      Dataset<Row> totals, String output, String checkpoint) {
    ExpectedColumns.require(totals);
    requireUsable(totals, output, checkpoint);
    VoidFunction2<Dataset<Row>, Long> write = (batch, batchId) -> merge(batch, batchId, output);
    return totals
        .writeStream()
        .outputMode(OutputMode.Update())
        .foreachBatch(write)
        .option("checkpointLocation", checkpoint);
  }

  /** The rows are read twice, and also if Delta passes over them: the query's state needs it. */
  private static void merge(Dataset<Row> batch, long batchId, String output) {
    SparkSession spark = batch.sparkSession();
    batch.persist();
    try {
      DeltaTable.createIfNotExists(spark)
          .location(new Path(output).toString()) // without what file:///totals/ has too much
          .addColumns(batch.schema())
          .execute();
      if (batch.count() == 0) {
        return;
      }
      // The log keeps both with the version, and a version that it has is not made again.
      String queryId = spark.sparkContext().getLocalProperty("sql.streaming.queryId");
      spark.conf().set("spark.databricks.delta.write.txnAppId", queryId);
      spark.conf().set("spark.databricks.delta.write.txnVersion", batchId);
      spark.conf().set("spark.databricks.delta.write.txnVersion.autoReset.enabled", true);
      DeltaTable.forPath(spark, output)
          .as("t")
          .merge(batch.as("s"), "s.window = t.window AND s.region <=> t.region")
          .whenMatched()
          .updateAll()
          .whenNotMatched()
          .insertAll()
          .execute();
    } finally {
      batch.unpersist();
    }
  }

  private static void requireUsable(Dataset<Row> totals, String output, String checkpoint) {
    Checkpoint start = new Checkpoint(totals.sparkSession(), checkpoint);
    start.requireUsable(totals, output);
    new DeltaOutput(totals.sparkSession(), output).requireWrittenFrom(start);
  }

  /**
   * Reads the newest version.
   *
   * @param spark a session with {@link #SETTINGS}
   * @param output the directory of the table
   * @return a batch Dataset of {@link WindowedAggregation#SCHEMA}; without rows if there is nothing
   *     yet
   */
  public static Dataset<Row> read(SparkSession spark, String output) {
    StructType schema = StructType.fromDDL(WindowedAggregation.SCHEMA);
    return DeltaTable.isDeltaTable(spark, output)
        ? DeltaTable.forPath(spark, output).toDF().selectExpr(schema.fieldNames())
        : spark.createDataFrame(List.of(), schema);
  }

  /**
   * Reads an older version, also called time travel.
   *
   * @param spark a session with {@link #SETTINGS}
   * @param output the directory of the table
   * @param version its number, from {@link #history}
   * @return a batch Dataset of {@link WindowedAggregation#SCHEMA}
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
