package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.from_json;

import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;
import streamingdeepdive.app.SocketFeed;

/**
 * Lines from a socket as a stream. What is the quickest way to try a query, and why is it not fit
 * for production?
 *
 * <p>The source connects to a server and takes each line that the server sends. Run {@code nc -lk
 * 9999} in a terminal and {@link #main} with {@code --host localhost --port 9999}: it prints what
 * is typed. Without options it sends the sample data to itself:
 *
 * <pre>{@code
 * == 02-out-of-order.json
 * {"event_time":"2026-01-01T12:14:00Z","region":"eu","amount":1.0}
 * {"event_time":"2026-01-01T12:05:00Z","region":"ap","amount":4.0}
 * {"event_time":"2026-01-01T12:03:00Z","region":"us","amount":2.0}
 * +-------------------+------+------+
 * |event_time         |region|amount|
 * +-------------------+------+------+
 * |2026-01-01 12:03:00|us    |2.0   |
 * |2026-01-01 12:05:00|ap    |4.0   |
 * |2026-01-01 12:14:00|eu    |1.0   |
 * +-------------------+------+------+
 * watermark none
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/SocketSource.txt">SocketSource.txt</a>.
 *
 * <p>A socket keeps nothing, so lost lines cannot be read again:
 *
 * <ul>
 *   <li>If there is no server, the query starts, and then fails.
 *   <li>If the server hangs up, Spark logs a warning, {@code Stream closed by}, and the query goes
 *       on as if there were no more lines.
 *   <li>A query that is started again on its checkpoint fails at first: the source looks for the
 *       lines that it read before. The start after that one runs, on new lines only.
 * </ul>
 *
 * <p>Before: {@link KafkaSource}. Next: {@link BadRecords}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#input-sources">
 *     Guide: Input Sources</a>
 */
public final class SocketSource {
  private SocketSource() {}

  /**
   * Reads a server's lines as a stream. A line that is not JSON becomes a row of nulls, as with
   * {@link FileSource}.
   *
   * @param spark the session
   * @param host the server's host; the query connects to it once it has started
   * @param port the server's port
   * @return a streaming Dataset of {@link FileSource#SCHEMA}
   */
  public static Dataset<Row> read(SparkSession spark, String host, int port) {
    return spark
        .readStream()
        .format("socket")
        .option("host", host)
        .option("port", port)
        .load()
        .select(from_json(col("value"), FileSource.SCHEMA, Map.of("timeZone", "UTC")).as("event"))
        .select("event.*");
  }

  /**
   * Prints the rows of each micro-batch.
   *
   * @param args none for the sample data, or {@code --host} and {@code --port}
   * @throws Exception if the query cannot start or fails
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson =
            LessonRun.open(args, "Prints the sales that a server sends.", "host", "port");
        SocketFeed server = SocketFeed.of(lesson, "sales")) {
      String host = lesson.option("host", "127.0.0.1");
      int port = Integer.parseInt(lesson.option("port", server.port()));
      StreamingQuery query =
          read(lesson.spark(), host, port)
              .writeStream()
              .outputMode(OutputMode.Append())
              .foreachBatch(lesson::print)
              .start();
      lesson.replay(query);
    }
  }
}
