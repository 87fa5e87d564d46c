package streamingdeepdive.recovery;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.unix_micros;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import scala.Tuple2;

/**
 * Writes each partition of a micro-batch into a table, from the executors. A task that is run
 * twice, or ends when its query is long gone, leaves rows of a part that nobody has heard of.
 */
final class StagedParts implements MapPartitionsFunction<Row, Tuple2<Long, Long>> {
  private static final long serialVersionUID = 1L;

  /** How many rows are sent to the database at once. */
  private static final int STATEMENT_BATCH = 1000;

  private final JdbcDatabase database;
  private final String insert;

  private StagedParts(JdbcDatabase database, String insert) {
    this.database = database;
    this.insert = insert;
  }

  /** Computes all of the micro-batch, once, and returns the parts with the rows of each. */
  static List<Tuple2<Long, Long>> write(Dataset<Row> totals, JdbcDatabase database, String table) {
    String insert =
        "INSERT INTO %s (%s, \"part\") VALUES (?, ?, ?, ?, ?)"
            .formatted(table, SqlDialect.columnNames());
    return totals
        .select(
            unix_micros(col("window.start")),
            unix_micros(col("window.end")),
            col("region"),
            col("total_amount"))
        .mapPartitions(
            new StagedParts(database, insert), Encoders.tuple(Encoders.LONG(), Encoders.LONG()))
        .collectAsList();
  }

  @Override
  public Iterator<Tuple2<Long, Long>> call(Iterator<Row> rows) throws SQLException {
    if (!rows.hasNext()) {
      return Collections.emptyIterator();
    }
    long part = UUID.randomUUID().getLeastSignificantBits();
    long written = database.inTransaction(connection -> insert(connection, rows, part));
    return List.of(new Tuple2<>(part, written)).iterator();
  }

  private long insert(Connection connection, Iterator<Row> rows, long part) throws SQLException {
    long written = 0;
    try (PreparedStatement statement = connection.prepareStatement(insert)) {
      statement.setLong(5, part);
      while (rows.hasNext()) {
        Row row = rows.next();
        statement.setObject(1, time(row.getLong(0)));
        statement.setObject(2, time(row.getLong(1)));
        statement.setString(3, row.getString(2));
        statement.setObject(4, row.get(3));
        statement.addBatch();
        written++;
        if (written % STATEMENT_BATCH == 0 || !rows.hasNext()) {
          statement.executeBatch();
        }
      }
    }
    return written;
  }

  private static OffsetDateTime time(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).atOffset(ZoneOffset.UTC);
  }
}
