package streamingdeepdive.recovery;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import scala.Tuple2;

/**
 * A database table with the newest total of each window and region: the target of a {@code
 * foreachBatch} that can be replayed.
 *
 * <p>The executors write a micro-batch into a table of its own, {@code _stage}. Then one
 * transaction moves it into the table and its number into the table {@code _progress}, unless that
 * number is there already. Readers see all of a micro-batch or nothing.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#foreachbatch">
 *     Guide: ForeachBatch</a>
 */
public final class UpsertTable {
  private static final StructType TOTALS =
      StructType.fromDDL(
          "window STRUCT<start: TIMESTAMP, end: TIMESTAMP>, region STRING, total_amount DOUBLE");
  private static final String MICROS =
      "CAST(EXTRACT(EPOCH FROM \"%1$s\") * 1000000 AS BIGINT) AS \"%1$s\"";

  private final JdbcDatabase database;
  private final String name;
  private final String table;
  private final String stage;

  private UpsertTable(JdbcDatabase database, String name) {
    this.database = database;
    this.name = name;
    this.table = SqlDialect.quote(name);
    this.stage = SqlDialect.quote(name + "_stage");
  }

  /**
   * Names a table, which need not exist yet.
   *
   * @param options of Spark's JDBC source, such as {@code url}, {@code user}, {@code password} and
   *     {@code driver}; the database is H2 2.2 or later, or PostgreSQL 15 or later
   * @param name the table's name in the schema of the connection; case counts
   * @return the table
   * @throws IllegalArgumentException if there is no driver for the URL, or a password is part of it
   */
  public static UpsertTable at(Map<String, String> options, String name) {
    return new UpsertTable(new JdbcDatabase(options), name);
  }

  /**
   * Requires that the table belongs to the checkpoint. On another one the numbers of the
   * micro-batches start anew, and so do the totals.
   *
   * @param checkpoint the checkpoint that the query is about to start on
   * @throws IllegalStateException if another query wrote the table, if table and checkpoint are of
   *     different times, if the table has other columns, or if the database cannot be read
   * @throws IllegalArgumentException if the database is another or an older one
   */
  public void requireWrittenFrom(Checkpoint checkpoint) {
    Optional<TableProgress> progress = progress();
    Optional<String> queryId = checkpoint.queryId().map(UUID::toString);
    if (progress.isPresent() && !progress.map(TableProgress::queryId).equals(queryId)) {
      throw new IllegalStateException(
          "The table "
              + name
              + " was written from another checkpoint than "
              + checkpoint
              + ", and the totals of both would be mixed. Start on the checkpoint that wrote it, or"
              + " give the query a new table.");
    }
    long written = progress.map(TableProgress::batchId).orElse(-1L);
    long committed = checkpoint.lastCommitted().orElse(-1);
    if (written < committed || written > checkpoint.lastPlanned().orElse(-1)) {
      throw new IllegalStateException(
          "The table %s has %s, but %s are done according to the checkpoint %s."
                  .formatted(name, upTo(written), upTo(committed), checkpoint)
              + " Restore both as they were at the same time, or start anew with a new checkpoint"
              + " and a new table.");
    }
  }

  private static String upTo(long batchId) {
    return batchId < 0 ? "no micro-batches" : "the micro-batches up to " + batchId;
  }

  private Optional<TableProgress> progress() {
    try {
      return database.inTransaction(connection -> TableProgress.of(connection, name));
    } catch (SQLException e) {
      throw new IllegalStateException(
          "The database " + database + " cannot be read: " + e.getMessage(), e);
    }
  }

  /**
   * Writes one micro-batch, for {@code foreachBatch}; one that is there already changes nothing. It
   * is computed in any case, since the state and the watermark of the query need it.
   *
   * @param totals {@code window} STRUCT of {@code start} and {@code end} TIMESTAMP, {@code region}
   *     STRING, {@code total_amount} DOUBLE; one row for each window and region
   * @param batchId the number of the micro-batch
   * @throws SQLException if the database fails; then the table is as it was
   * @throws IllegalStateException if the table is not what this query has written
   */
  public void write(Dataset<Row> totals, long batchId) throws SQLException {
    String queryId = totals.sparkSession().sparkContext().getLocalProperty("sql.streaming.queryId");
    TableProgress next = new TableProgress(queryId, batchId);
    database.inTransaction(connection -> claim(connection, next));
    List<Tuple2<Long, Long>> parts = StagedParts.write(totals, database, stage);
    database.inTransaction(connection -> publish(connection, next, parts));
  }

  /** Makes the tables with the first micro-batch; later ones must find what is theirs. */
  private Void claim(Connection connection, TableProgress next) throws SQLException {
    Optional<TableProgress> found = TableProgress.of(connection, name);
    try (Statement statement = connection.createStatement()) {
      if (found.isEmpty() && next.batchId() == 0) {
        String columns = SqlDialect.of(connection).columnDefinitions();
        statement.execute(
            "CREATE TABLE IF NOT EXISTS %s (%s, UNIQUE NULLS NOT DISTINCT (%s))"
                .formatted(table, columns, SqlDialect.keys()));
        statement.execute(
            "CREATE TABLE IF NOT EXISTS %s (%s, \"part\" BIGINT)".formatted(stage, columns));
        TableProgress.start(statement, name, next.queryId());
      } else if (found.filter(next::isOrFollows).isEmpty()) {
        throw new IllegalStateException(
            "The table %s does not hold what this query has written before micro-batch %d."
                    .formatted(name, next.batchId())
                + " Restore it, or start anew with a new checkpoint and a new table.");
      }
      // Of a run that died.
      statement.execute("DELETE FROM " + stage);
    }
    return null;
  }

  private Void publish(Connection connection, TableProgress next, List<Tuple2<Long, Long>> parts)
      throws SQLException {
    if (next.record(connection, name)) {
      long rows = parts.stream().mapToLong(Tuple2::_2).sum();
      long published = upsert(connection, parts.stream().map(Tuple2::_1).toArray());
      if (published != rows) {
        throw new IllegalStateException(
            "Of the %d rows of micro-batch %d only %d were in %s: another process writes there."
                    .formatted(rows, next.batchId(), published, stage)
                + " Stop it and start again.");
      }
    }
    try (Statement statement = connection.createStatement()) {
      statement.execute("DELETE FROM " + stage);
    }
    return null;
  }

  private long upsert(Connection connection, Object[] parts) throws SQLException {
    String select =
        "SELECT %s FROM %s WHERE \"part\" = ANY(?)".formatted(SqlDialect.columnNames(), stage);
    try (PreparedStatement upsert =
        connection.prepareStatement(SqlDialect.of(connection).upsert(table, select))) {
      upsert.setArray(1, connection.createArrayOf("BIGINT", parts));
      return upsert.executeUpdate();
    }
  }

  /**
   * Reads the newest total of each window and region.
   *
   * @param spark any session
   * @return a batch Dataset of {@code window} STRUCT of {@code start} and {@code end} TIMESTAMP,
   *     {@code region} STRING, {@code total_amount} DOUBLE; without rows if there is nothing yet
   * @throws IllegalStateException if the table has other columns, or the database cannot be read
   * @throws IllegalArgumentException if the database is another or an older one
   */
  public Dataset<Row> read(SparkSession spark) {
    if (progress().isEmpty()) {
      return spark.createDataFrame(List.of(), TOTALS);
    }
    // Times as numbers: those of a zone are read as the JVM's, or not at all.
    String query =
        "SELECT %s, %s, \"region\", \"total_amount\" FROM %s"
            .formatted(MICROS.formatted("window_start"), MICROS.formatted("window_end"), table);
    return spark
        .read()
        .format("jdbc")
        .options(database.options())
        .option("query", query)
        .load()
        .selectExpr(
            "struct(timestamp_micros(window_start) AS start, timestamp_micros(window_end) AS end)"
                + " AS window",
            "region",
            "total_amount");
  }
}
