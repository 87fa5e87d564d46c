package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.unix_micros;

import java.sql.Connection;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.types.StructType;
import streamingdeepdive.app.LessonRun;
import streamingdeepdive.recovery.Checkpoint;
import streamingdeepdive.recovery.JdbcDatabase;
import streamingdeepdive.recovery.JdbcTable;

/**
 * Totals in a database table. How does the table hold each total once, with its latest value,
 * though the process may die at any moment?
 *
 * <p>Spark hands over each micro-batch with its number, and once more if it dies before it has
 * committed it. Spark's JDBC writer (1) puts the rows into a stage table: the executors write, a
 * thousand rows at a time. Then one transaction (2) records the number and, unless it is recorded
 * already, (3) upserts the staged rows: a total that changes replaces the row of its window and
 * region. Readers see a micro-batch as a whole or not at all. The 100.0 that came late is in the
 * total, the others have stayed:
 *
 * <pre>{@code
 * == 03-late-but-counted.json
 * {"event_time":"2026-01-01T12:03:00Z","region":"eu","amount":100.0}
 * +------------------------------------------+------+------------+
 * |window                                    |region|total_amount|
 * +------------------------------------------+------+------------+
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|eu    |115.0       |
 * |{2026-01-01 12:00:00, 2026-01-01 12:05:00}|us    |9.0         |
 * |{2026-01-01 12:05:00, 2026-01-01 12:10:00}|ap    |4.0         |
 * |{2026-01-01 12:10:00, 2026-01-01 12:15:00}|eu    |1.0         |
 * +------------------------------------------+------+------------+
 * watermark 2026-01-01 12:04:00, state rows 4 (1 updated), rows dropped as late 0
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/JdbcSink.txt">JdbcSink.txt</a>. The tempting
 * alternative is {@code batch.write().mode("append").jdbc(...)}. It adds a row for each revision of
 * a total, and the rows of a replayed micro-batch a second time. Nor is this an upsert "keyed on
 * batch ID": with that ID in the key, each revision would be a row of its own.
 *
 * <p>If the database fails, the query fails, and the next start goes on from the checkpoint. A
 * query that would lose or mix totals is refused when it is built; the exception says what to do.
 * Beside the table are {@code _stage}, with the last micro-batch, and {@code _progress}.
 *
 * <p>Not handled here: other columns, other databases than H2 (2.2 or later) and PostgreSQL (15 or
 * later), and two queries that write the same table.
 *
 * <p>Before: {@link ParquetSink}. Next: {@link DeltaSink}. Trap: {@link
 * streamingdeepdive.trap.UnfinishedBatch}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#foreachbatch">
 *     Guide: ForeachBatch</a>
 */
public final class JdbcSink {
  /** Step 2. It finds no row if the micro-batch is recorded already. */
  private static final String RECORD =
      "UPDATE %s SET \"batch_id\" = %s WHERE \"query_id\" = '%s' AND \"batch_id\" = %s";

  /** Step 3 takes what one attempt has staged, once: a task that ran twice has staged it twice. */
  private static final String STAGED =
      """
      SELECT DISTINCT
        TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00'
          + "window_start" * INTERVAL '0.000001' SECOND AS "window_start",
        TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00'
          + "window_end" * INTERVAL '0.000001' SECOND AS "window_end",
        "region", "total_amount"
      FROM %s WHERE "attempt" = %s""";

  private static final Map<String, String> UPSERT =
      Map.of(
          "H2",
          """
          MERGE INTO %s t USING (%s) s
          ON t."window_start" = s."window_start" AND t."window_end" = s."window_end"
            AND t."region" IS NOT DISTINCT FROM s."region"
          WHEN MATCHED THEN UPDATE SET "total_amount" = s."total_amount"
          WHEN NOT MATCHED THEN INSERT
            VALUES (s."window_start", s."window_end", s."region", s."total_amount")
          """,
          "PostgreSQL",
          """
          INSERT INTO %s ("window_start", "window_end", "region", "total_amount") %s
          ON CONFLICT ("window_start", "window_end", "region")
            DO UPDATE SET "total_amount" = EXCLUDED."total_amount"
          """);

  private JdbcSink() {}

  /**
   * Writes the latest total of each window and region, in update mode.
   *
   * <p>The table is created with the first micro-batch: {@code window_start} and {@code window_end}
   * TIMESTAMP WITH TIME ZONE, {@code region} text, {@code total_amount} DOUBLE PRECISION, the first
   * three unique together. One that exists already must have these columns and no rows.
   *
   * @param totals {@link WindowedAggregation#SCHEMA}
   * @param options of Spark's JDBC source: {@code url}, without credentials, {@code user}, {@code
   *     password}, and the {@code driver} or settings of it if need be
   * @param table the table's name in the schema of the connection; it is quoted, so case counts
   * @param checkpoint a directory on any Hadoop file system, kept as long as the table
   * @return the query, to be started
   * @throws IllegalStateException if checkpoint and table do not belong together, the table has
   *     other columns, the database cannot be read, or the checkpoint is in use or damaged
   * @throws IllegalArgumentException if the totals have other columns, the options name no known
   *     database or have credentials in the URL, the table's name is too long, or input or
   *     checkpoint is inside the other
   */
  public static DataStreamWriter<Row> buildQuery(
      Dataset<Row> totals, Map<String, String> options, String table, String checkpoint) {
    ExpectedColumns.require(totals);
    Checkpoint start = new Checkpoint(totals.sparkSession(), checkpoint);
    start.requireUsable(totals);
    JdbcDatabase database = new JdbcDatabase(options);
    JdbcTable target = new JdbcTable(database, table, JdbcSql.COLUMNS);
    target.requireWrittenFrom(start);
    VoidFunction2<Dataset<Row>, Long> write =
        (batch, batchId) -> {
          batch.persist(); // counted, then written
          try {
            write(batch, batchId, database, target);
          } finally {
            batch.unpersist();
          }
        };
    return totals
        .writeStream()
        .outputMode(OutputMode.Update())
        .foreachBatch(write)
        .option("checkpointLocation", checkpoint);
  }

  /** A micro-batch that is replayed is computed, too: the state and the watermark need it. */
  private static void write(
      Dataset<Row> batch, long batchId, JdbcDatabase database, JdbcTable table) throws Exception {
    String queryId = batch.sparkSession().sparkContext().getLocalProperty("sql.streaming.queryId");
    table.begin(queryId, batchId, JdbcSql.UNIQUE);
    long rows = batch.count();

    // 1. A task of an earlier attempt may still be writing there.
    String stage = table.quoted("_stage");
    long attempt = ThreadLocalRandom.current().nextLong();
    batch
        .select(
            unix_micros(col("window.start")).as("window_start"),
            unix_micros(col("window.end")).as("window_end"),
            JdbcSql.storable(database.toString(), "region"),
            col("total_amount"),
            lit(attempt).as("attempt"))
        .write()
        .format("jdbc")
        .options(database.options())
        .option("dbtable", stage)
        .mode(SaveMode.Overwrite)
        .save();

    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      // 2.
      String record = RECORD.formatted(table.quoted("_progress"), batchId, queryId, batchId - 1);
      if (statement.executeUpdate(record) == 1) {
        // 3.
        String upsert = UPSERT.get(connection.getMetaData().getDatabaseProductName());
        String staged = STAGED.formatted(stage, attempt);
        long upserted = statement.executeUpdate(upsert.formatted(table.quoted(""), staged));
        if (upserted != rows) {
          throw new IllegalStateException(
              "Of the %s rows of micro-batch %s, %s were found in %s: another process writes there. Stop it and start again."
                  .formatted(rows, batchId, upserted, stage));
        }
      }
      connection.commit();
    }
  }

  /**
   * Reads the latest totals.
   *
   * @param spark any session
   * @param options as in {@link #buildQuery}
   * @param table the table's name
   * @return a batch Dataset of {@link WindowedAggregation#SCHEMA}, empty if nothing is there yet
   * @throws IllegalStateException if the table has other columns, or the database cannot be read
   * @throws IllegalArgumentException as {@link #buildQuery} does for the options and the name
   */
  public static Dataset<Row> read(SparkSession spark, Map<String, String> options, String table) {
    JdbcDatabase database = new JdbcDatabase(options);
    JdbcTable source = new JdbcTable(database, table, JdbcSql.COLUMNS);
    if (!source.isWritten()) {
      return spark.createDataFrame(List.of(), StructType.fromDDL(WindowedAggregation.SCHEMA));
    }
    return spark
        .read()
        .format("jdbc")
        .options(database.options())
        .option("query", JdbcSql.LATEST.formatted(source.quoted("")))
        .load()
        .selectExpr(
            "struct(timestamp_micros(window_start) AS start, timestamp_micros(window_end) AS end)"
                + " AS window",
            "region",
            "total_amount");
  }

  /**
   * Writes the totals to the table and prints it after each file.
   *
   * @param args see {@code --help}; the password is taken from the environment: JDBC_PASSWORD
   * @throws Exception if the query cannot start, or dies
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson =
        LessonRun.open(
            args,
            "Writes the latest totals per five minutes and region to a table of a database.",
            "input",
            "url",
            "user",
            "table",
            "checkpoint")) {
      Map<String, String> database = new HashMap<>();
      String own = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
      database.put("url", lesson.option("url", own));
      database.put("user", lesson.option("user", ""));
      database.put("password", System.getenv().getOrDefault("JDBC_PASSWORD", ""));
      String table = lesson.option("table", "totals");
      Dataset<Row> sales = FileSource.read(lesson.spark(), lesson.input("sales"));
      Dataset<Row> totals = WindowedAggregation.buildQuery(sales);
      StreamingQuery query =
          buildQuery(totals, database, table, lesson.checkpoint("totals")).start();
      lesson.show(query, () -> read(lesson.spark(), database, table));
      lesson.replay(query);
    }
  }
}
