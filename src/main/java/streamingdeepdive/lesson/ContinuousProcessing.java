package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.map;
import static org.apache.spark.sql.functions.try_element_at;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;
import streamingdeepdive.app.Topic;

/**
 * Rows that are processed one by one. How soon can a row be output, and what do you give up for it?
 *
 * <p>A continuous query has no micro-batches: a task per partition reads, computes and writes
 * single rows without end. Here amounts become euros, and small ones are left out:
 *
 * <pre>{@code
 * == the rows that came out
 * +-------------------+------+------+
 * |event_time         |region|amount|
 * +-------------------+------+------+
 * |2026-01-01 12:01:00|eu    |10.0  |
 * |2026-01-01 12:01:00|eu    |10.0  |
 * |2026-01-01 12:02:00|us    |3.5   |
 * |2026-01-01 12:03:00|eu    |100.0 |
 * |2026-01-01 12:03:00|us    |1.0   |
 * |2026-01-01 12:04:00|eu    |5.0   |
 * |2026-01-01 12:04:59|eu    |1000.0|
 * |2026-01-01 12:06:00|us    |10.0  |
 * |2026-01-01 12:14:00|eu    |1.0   |
 * |2026-01-01 12:14:00|eu    |1.0   |
 * |2026-01-01 12:15:00|us    |1.5   |
 * |2026-01-01 12:15:00|us    |1.5   |
 * |2026-01-01 13:20:00|br    |1.5   |
 * |2026-01-01 13:21:00|br    |2.0   |
 * +-------------------+------+------+
 * }</pre>
 *
 * <p>The same is in <a href="doc-files/ContinuousProcessing.txt">ContinuousProcessing.txt</a>.
 * Continuous processing is experimental. From topic to topic a row took about 20 ms, but only with
 * {@code kafka.fetch.max.wait.ms} at 10, as {@link #main} sets it. By default Kafka's consumer
 * waits up to 500 ms for more records, and a row took about half a second.
 *
 * <p>Spark refuses aggregations, deduplication, watermarks, files, Parquet and {@code foreachBatch}
 * at the start. The query reports no progress. Each task keeps its core; with fewer cores than
 * partitions some rows never come, and no error says so: {@link #continuous} refuses that. After a
 * restart rows that were output since the last checkpoint may be output again: the output is
 * at-least-once. Nearly all pipelines are better off with micro-batches.
 *
 * <p>Before: {@link Triggers}. Next: {@link KafkaSource}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#continuous-processing">
 *     Guide: Continuous Processing</a>
 */
public final class ContinuousProcessing {
  /** What an amount of a region is worth in euros. */
  public static final Map<String, Double> EUROS =
      Map.of("eu", 1.0, "us", 0.5, "br", 0.25, "ap", 0.125);

  /** The smallest amount in euros that is kept. */
  public static final double MINIMUM = 1.0;

  /** How often the progress goes into the checkpoint. */
  public static final String CHECKPOINT_INTERVAL = "1 second";

  private ContinuousProcessing() {}

  /**
   * Converts amounts with {@link #EUROS} and keeps those of {@value #MINIMUM} and more.
   *
   * @param sales {@code region} STRING, {@code amount} DOUBLE and any others, streaming or batch
   * @return the same columns, {@code amount} in euros
   */
  public static Dataset<Row> buildQuery(Dataset<Row> sales) {
    return buildQuery(sales, EUROS, MINIMUM);
  }

  /**
   * Converts amounts and keeps those that are large enough. A sale of a region without a rate is
   * left out.
   *
   * @param sales {@code region} STRING, {@code amount} DOUBLE and any others, streaming or batch
   * @param euros what an amount of 1 of a region is worth in euros
   * @param minimum the smallest amount in euros that is kept
   * @return the same columns, {@code amount} in euros
   */
  public static Dataset<Row> buildQuery(
      Dataset<Row> sales, Map<String, Double> euros, double minimum) {
    Column[] rates =
        new TreeMap<>(euros)
            .entrySet().stream()
                .flatMap(rate -> Stream.of(lit(rate.getKey()), lit(rate.getValue())))
                .toArray(Column[]::new);
    return sales
        .withColumn("amount", col("amount").multiply(try_element_at(map(rates), col("region"))))
        .where(col("amount").geq(minimum));
  }

  /**
   * Sets a continuous trigger, with {@value #CHECKPOINT_INTERVAL} between checkpoints.
   *
   * @param rows a streaming Dataset of the rate or Kafka source with operations on single rows
   * @param partitions how many partitions the source has
   * @return the query without a sink, not started
   * @throws IllegalStateException if the session has fewer cores than that
   */
  public static DataStreamWriter<Row> continuous(Dataset<Row> rows, int partitions) {
    return continuous(rows, partitions, CHECKPOINT_INTERVAL);
  }

  /**
   * Sets a continuous trigger.
   *
   * @param rows a streaming Dataset of the rate or Kafka source with operations on single rows
   * @param partitions how many partitions the source has; one more core is needed to read a memory
   *     sink meanwhile
   * @param checkpointInterval such as {@code "1 second"}: how often the progress goes into the
   *     checkpoint, and so how much may be output again after a restart
   * @return the query without a sink, not started
   * @throws IllegalStateException if the session has fewer cores than partitions, as its default
   *     parallelism tells
   */
  public static DataStreamWriter<Row> continuous(
      Dataset<Row> rows, int partitions, String checkpointInterval) {
    int cores = rows.sparkSession().sparkContext().defaultParallelism();
    if (cores < partitions) {
      throw new IllegalStateException(
          "A continuous query keeps a core busy for each of its "
              + partitions
              + " partitions, and the default parallelism of this session is "
              + cores
              + "; give it more cores, such as with --master local["
              + (partitions + 1)
              + "].");
    }
    return Triggers.continuous(rows, checkpointInterval);
  }

  /**
   * Prints the sales in euros: from a memory table, or on data of your own on the console.
   *
   * @param args none for the sample data, or {@code --bootstrap-servers}, {@code --topic} and
   *     {@code --checkpoint}
   * @throws Exception if the query cannot start or fails
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson =
            LessonRun.open(
                args,
                "Converts the sales of a topic to euros, without micro-batches.",
                "bootstrap-servers",
                "topic",
                "checkpoint");
        Topic topic = Topic.input(lesson, "sales")) {
      SparkSession spark = lesson.spark();
      lesson.feedAll();
      Map<String, String> options = Map.of("kafka.fetch.max.wait.ms", "10");
      Dataset<Row> records =
          KafkaSource.records(spark, topic.bootstrapServers(), topic.name(), options);
      StreamingQuery query =
          continuous(buildQuery(KafkaSource.events(records)), topic.partitions())
              .queryName("euros")
              .format(args.length == 0 ? "memory" : "console")
              .option("checkpointLocation", lesson.checkpoint("euros"))
              .start();
      if (args.length > 0) {
        query.awaitTermination();
      }
      awaitRows(query, topic);
      query.stop();
      lesson.printTable("the rows that came out", spark.table("euros"));
    }
  }

  /** The query reports no progress: waits until it has output as many rows as a batch query. */
  private static void awaitRows(StreamingQuery query, Topic topic) throws Exception {
    SparkSession spark = query.sparkSession();
    Dataset<Row> records =
        KafkaSource.readTable(spark, topic.bootstrapServers(), topic.name(), Map.of());
    long expected = buildQuery(KafkaSource.events(records)).count();
    while (query.isActive() && spark.table(query.name()).count() < expected) {
      query.awaitTermination(100);
    }
  }
}
