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

/** TODO */
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
