package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.types.StructType;
import streamingdeepdive.app.LessonRun;

/**
 * Watching a query. How is it noticed that it falls behind, drops rows, or has died?
 *
 * <p>Spark tells the listeners of a session of each micro-batch of its queries. {@link
 * QueryMonitor} is one: it makes a line of the measures that it is given, and a warning when one
 * passes its limit. The next warning comes only after the measure was within its limit:
 *
 * <pre>{@code
 * == 04-too-late.json
 * {"event_time":"2026-01-01T12:04:59Z","region":"eu","amount":1000.0}
 * {"event_time":"2026-01-01T12:06:00Z","region":"us","amount":20.0}
 * totals, micro-batch 6: rows 2, rejected 0, seconds behind the newest event 60, rows dropped as late 1, state rows 4
 * WARNING: totals, micro-batch 6: rows dropped as late 1, limit 0
 * WARNING: totals, micro-batch 6: state rows 4, limit 3
 * -- totals
 * +-------------------+-------------+
 * |gauge              |value        |
 * +-------------------+-------------+
 * |eventTime-watermark|1767269100000|
 * |states-rowsTotal   |4            |
 * +-------------------+-------------+
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/Monitoring.txt">Monitoring.txt</a>. The state passed
 * its limit in file 02, too, and was back at 3 rows after file 03. The row of file 05 is late again
 * and makes no warning. {@link #buildQuery} counts the rejected lines, with {@code
 * Dataset.observe}. The table is what Spark shows over JMX in a session with {@link #SETTINGS}, of
 * the last micro-batch, as long as the query runs. It has no rows dropped as late and no backlog.
 *
 * <p>In production also watch what differs from run to run: {@link QueryMonitor#SECONDS}, with the
 * interval of the trigger for its limit, {@link QueryMonitor#LOAD}, {@link
 * QueryMonitor#BEHIND_CLOCK}, {@link QueryMonitor#STATE_BYTES}, {@link QueryMonitor#BACKLOG}. A
 * query that dies is always a warning.
 *
 * <p>The tempting alternative is to look at {@code query.lastProgress()} now and then. Often that
 * is a no-data micro-batch, which drops nothing, behind one that did.
 *
 * <p>Not handled: an idle query has no lines, and their absence is no warning. Of such a query
 * Spark calls {@code onQueryIdle}.
 *
 * <p>Before: {@link StateStores}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#monitoring-streaming-queries">
 *     Guide: Monitoring Streaming Queries</a>
 */
public final class Monitoring {
  /** What a session must be created with, so that JMX shows the gauges of its queries. */
  public static final Map<String, String> SETTINGS =
      Map.of(
          "spark.sql.streaming.metricsEnabled", "true",
          "spark.metrics.conf.driver.sink.jmx.class", "org.apache.spark.metrics.sink.JmxSink");

  private static final String GAUGES = "gauge STRING, value STRING";

  private Monitoring() {}

  /**
   * Adds up the accepted lines, and counts the rejected ones as {@code rejected} of {@code lines}.
   *
   * @param lines as {@link BadRecords#read} gives them
   * @return {@link WindowedAggregation#SCHEMA}
   */
  public static Dataset<Row> buildQuery(Dataset<Row> lines) {
    Dataset<Row> observed = lines.observe("lines", count(col("reason")).as("rejected"));
    return Watermark.buildQuery(BadRecords.accepted(observed));
  }

  /**
   * Reads the gauges of a query that is running, as any JMX client does.
   *
   * @param spark a session with {@link #SETTINGS}
   * @param query the query's name
   * @return a batch Dataset of {@code gauge} STRING and {@code value} STRING
   */
  public static Dataset<Row> readGauges(SparkSession spark, String query) {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    List<Row> gauges = new ArrayList<>();
    try {
      String prefix =
          spark.sparkContext().applicationId() + ".driver.spark.streaming." + query + ".";
      ObjectName names = new ObjectName("metrics:type=gauges,name=" + prefix + "*");
      for (ObjectName name : server.queryNames(names, null)) {
        String gauge = name.getKeyProperty("name").substring(prefix.length());
        gauges.add(RowFactory.create(gauge, server.getAttribute(name, "Value").toString()));
      }
    } catch (JMException e) {
      throw new IllegalStateException(e);
    }
    return spark.createDataFrame(gauges, StructType.fromDDL(GAUGES));
  }

  /**
   * Runs the query under a monitor, and prints two of its gauges.
   *
   * @param args none for the sample data, or {@code --input} and {@code --checkpoint}
   * @throws Exception if the query cannot start or fails
   */
  public static void main(String[] args) throws Exception {
    SETTINGS.forEach(System::setProperty);
    try (LessonRun lesson =
        LessonRun.open(args, "Adds up sales under a monitor.", "input", "checkpoint")) {
      SETTINGS.keySet().forEach(System::clearProperty); // they are of this session only
      SparkSession spark = lesson.spark();
      spark
          .streams()
          .addListener(
              new QueryMonitor(
                  List.of(
                      QueryMonitor.ROWS,
                      QueryMonitor.observed("lines", "rejected").upTo(0),
                      QueryMonitor.BEHIND_EVENTS.upTo(3600),
                      QueryMonitor.LATE_ROWS.upTo(0),
                      QueryMonitor.STATE_ROWS.upTo(3)),
                  System.out::println,
                  warning -> System.out.println("WARNING: " + warning)));
      StreamingQuery query =
          buildQuery(BadRecords.read(spark, lesson.input("monitored")))
              .writeStream()
              .queryName("totals")
              .outputMode(OutputMode.Update())
              .format("noop")
              .option("checkpointLocation", lesson.checkpoint("totals"))
              .start();
      lesson.show(
          query,
          () ->
              readGauges(spark, "totals")
                  .where("gauge in ('eventTime-watermark', 'states-rowsTotal')"));
      lesson.replay(query);
    }
  }
}
