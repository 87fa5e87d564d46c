package streamingdeepdive.lesson;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;
import streamingdeepdive.recovery.Checkpoint;
import streamingdeepdive.recovery.UpsertTable;

/**
 * Totals in a table of a database. How does it hold each total once and as it is now, though the
 * process may die at any moment?
 *
 * <p>A total that changes replaces the row of its window and region. Spark hands over each
 * micro-batch with its number, and again if it was not committed. One transaction writes both the
 * totals and that number, so that a replay is told from a new micro-batch, and readers see all of a
 * micro-batch or nothing. The 100.0 that came late is in the total, the others have stayed:
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
 * watermark 2026-01-01 12:04:00, state rows 4, rows dropped as late 0
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/JdbcSink.txt">JdbcSink.txt</a>.
 *
 * <p>The tempting alternative is {@code batch.write().mode("append").jdbc(...)}. It adds a row for
 * each revision of a total, and the rows of a replayed micro-batch a second time.
 *
 * <p>No rows pass through the driver: the executors write them into a table beside, {@code _stage},
 * a thousand at a time, and the database moves them from there. The number is in {@code _progress}.
 *
 * <p>If the database fails, the query does, and the next start goes on where it stopped. A query
 * that would lose or mix totals is not built: on a checkpoint that did not write the table, on one
 * of another time, on one in use, on a table with other columns. The exception says what to do.
 *
 * <p>Not handled here: tables that are not about totals, other databases than H2 (2.2 or later) and
 * PostgreSQL (15 or later), and two queries that write the same table.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#foreachbatch">
 *     Guide: ForeachBatch</a>
 */
public final class JdbcSink {
  private JdbcSink() {}

  /**
   * Writes the newest total of each window and region, in update mode.
   *
   * <p>The table is made with the first micro-batch: {@code window_start} and {@code window_end}
   * TIMESTAMP WITH TIME ZONE, {@code region} VARCHAR, {@code total_amount} DOUBLE PRECISION, the
   * first three unique together. One that exists must have these columns and no rows.
   *
   * @param totals {@code window} STRUCT of {@code start} and {@code end} TIMESTAMP, {@code region}
   *     STRING, {@code total_amount} DOUBLE
   * @param options of Spark's JDBC source: {@code url}, without credentials, {@code user}, {@code
   *     password}, and the {@code driver} or settings of it if need be
   * @param table the table's name in the schema of the connection; it is quoted, so case counts
   * @param checkpoint a directory on any Hadoop file system, kept as long as the table
   * @return the query, to be started
   * @throws IllegalStateException if checkpoint and table do not belong together, the table has
   *     other columns, the database cannot be read, or the checkpoint is in use or damaged
   * @throws IllegalArgumentException if there is no driver for the URL, the database is another or
   *     an older one, credentials are part of the URL, or input or checkpoint is inside the other
   */
  public static DataStreamWriter<Row> buildQuery(
      Dataset<Row> totals, Map<String, String> options, String table, String checkpoint) {
    Checkpoint start = Checkpoint.at(totals.sparkSession(), checkpoint);
    start.requireUsable(totals);
    UpsertTable target = UpsertTable.at(options, table);
    target.requireWrittenFrom(start);
    VoidFunction2<Dataset<Row>, Long> write = target::write;
    return totals
        .writeStream()
        .outputMode(OutputMode.Update())
        .foreachBatch(write)
        .option("checkpointLocation", checkpoint);
  }

  /**
   * Reads the newest totals.
   *
   * @param spark any session
   * @param options as in {@link #buildQuery}
   * @param table the table's name
   * @return a batch Dataset of {@code window} STRUCT of {@code start} and {@code end} TIMESTAMP,
   *     {@code region} STRING, {@code total_amount} DOUBLE; without rows if there is nothing yet
   * @throws IllegalStateException if the table has other columns, or the database cannot be read
   * @throws IllegalArgumentException if there is no driver for the URL, the database is another or
   *     an older one, or credentials are part of the URL
   */
  public static Dataset<Row> read(SparkSession spark, Map<String, String> options, String table) {
    return UpsertTable.at(options, table).read(spark);
  }

  /**
   * Writes the totals to the table and prints it after each file.
   *
   * @param args see {@code --help}
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
