package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;

import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LessonRun;

/**
 * A stream joined with a table, and with another stream. Which sales were refunded, and when is it
 * certain that one was not?
 *
 * <p>A table that does not change needs no state: {@link #withRegions} looks up the region of each
 * sale, and keeps a sale whose region is not in the table. In a join of two streams either row may
 * come first, so each is kept until it can find no more partners. The watermarks and the time bound
 * between the rows tell when: a sale is settled once the watermark is an hour past it. Only then
 * does {@link #withRefunds} output a sale without refund:
 *
 * <pre>{@code
 * == 07a-refunds-an-hour-later.json
 * {"refund_time":"2026-01-01T13:25:00Z","region":"us","amount":20.0}
 * {"refund_time":"2026-01-01T13:30:00Z","region":"br","amount":6.0}
 * +-------------------+------+------+-------------+--------+-------------------+
 * |event_time         |region|amount|name         |currency|refund_time        |
 * +-------------------+------+------+-------------+--------+-------------------+
 * |2026-01-01 12:01:00|eu    |10.0  |Europe       |EUR     |NULL               |
 * |2026-01-01 12:02:00|us    |7.0   |United States|USD     |NULL               |
 * |2026-01-01 12:03:00|eu    |100.0 |Europe       |EUR     |NULL               |
 * |2026-01-01 12:03:00|us    |2.0   |United States|USD     |NULL               |
 * |2026-01-01 12:04:59|eu    |1000.0|Europe       |EUR     |NULL               |
 * |2026-01-01 12:05:00|ap    |4.0   |Asia Pacific |JPY     |NULL               |
 * |2026-01-01 12:06:00|us    |20.0  |United States|USD     |NULL               |
 * |2026-01-01 13:20:00|br    |6.0   |NULL         |NULL    |2026-01-01 13:30:00|
 * +-------------------+------+------+-------------+--------+-------------------+
 * watermark 2026-01-01 13:10:00, state rows 7 (2 updated), rows dropped as late 0
 * }</pre>
 *
 * <p>The whole output is in <a href="doc-files/Joins.txt">Joins.txt</a>.
 *
 * <p>The refund of 13:25 is for a sale of 12:06. It comes more than an hour after the sale and is
 * not joined to it. The watermark of the query is the smaller one of the two streams. In {@code
 * 07-an-hour-later.json} the sales are at 13:20, but nothing is settled while the refunds are at
 * 12:10. As long as a stream stays empty, the rows of the other one are kept forever.
 *
 * <p>The tempting alternative is to leave the time bound out. The join outputs rows all the same,
 * but then no row is ever too old for a partner, and the state only grows.
 *
 * <p>Before: {@link BadRecords}. Next: {@link SessionWindows}. Trap: {@link
 * streamingdeepdive.trap.UnboundedState}.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#join-operations">
 *     Guide: Join Operations</a>
 */
public final class Joins {
  /** The columns of a refund. A time without a zone is read as UTC. */
  public static final String REFUND_SCHEMA = "refund_time TIMESTAMP, region STRING, amount DOUBLE";

  /** The columns of the static table of regions. */
  public static final String REGION_SCHEMA = "region STRING, name STRING, currency STRING";

  /** How far the watermark of each stream stays behind its newest time. */
  public static final String DELAY_THRESHOLD = "10 minutes";

  /** How long after a sale it can be refunded. */
  public static final String REFUND_PERIOD = "1 hour";

  private Joins() {}

  /**
   * Reads a directory of refunds as a stream, one file per micro-batch.
   *
   * @param spark the session
   * @param directory a directory or pattern of directories on any Hadoop file system
   * @return a streaming Dataset of {@code refund_time} TIMESTAMP, {@code region} STRING, {@code
   *     amount} DOUBLE
   */
  public static Dataset<Row> readRefunds(SparkSession spark, String directory) {
    return spark
        .readStream()
        .schema(REFUND_SCHEMA)
        .option("maxFilesPerTrigger", 1)
        .options(DirectoryFiles.options(spark, directory))
        .option("timeZone", "UTC")
        .json(directory);
  }

  /**
   * Reads a directory of regions as a table.
   *
   * @param spark the session
   * @param directory a directory or pattern of directories on any Hadoop file system
   * @return a batch Dataset of {@code region}, {@code name} and {@code currency} STRING
   */
  public static Dataset<Row> readRegions(SparkSession spark, String directory) {
    return spark
        .read()
        .schema(REGION_SCHEMA)
        .options(DirectoryFiles.options(spark, directory))
        .json(directory);
  }

  /**
   * Adds to each sale the name and currency of its region; nulls if the table has no such region.
   *
   * @param sales {@code region} STRING and any others, streaming or batch
   * @param regions {@code region}, {@code name} and {@code currency} STRING, each region once,
   *     batch
   * @return the columns of the sales, {@code name} STRING, {@code currency} STRING
   */
  public static Dataset<Row> withRegions(Dataset<Row> sales, Dataset<Row> regions) {
    return sales
        .join(regions, sales.col("region").equalTo(regions.col("region")), "left_outer")
        .drop(regions.col("region"));
  }

  /**
   * Finds the sales that were refunded within {@value #REFUND_PERIOD}: a refund has the sale's
   * region and amount.
   *
   * @param sales {@link FileSource#SCHEMA} and any others, streaming or batch
   * @param refunds {@code refund_time} TIMESTAMP, {@code region} STRING, {@code amount} DOUBLE,
   *     streaming or batch
   * @return the columns of the sales, {@code refund_time} TIMESTAMP
   */
  public static Dataset<Row> refunded(Dataset<Row> sales, Dataset<Row> refunds) {
    return join(sales, refunds, "inner");
  }

  /**
   * The same with all sales. A sale without refund has a null for {@code refund_time}; a stream
   * outputs it when it is settled.
   *
   * @param sales {@link FileSource#SCHEMA} and any others, streaming or batch
   * @param refunds {@code refund_time} TIMESTAMP, {@code region} STRING, {@code amount} DOUBLE,
   *     streaming or batch
   * @return the columns of the sales, {@code refund_time} TIMESTAMP
   */
  public static Dataset<Row> withRefunds(Dataset<Row> sales, Dataset<Row> refunds) {
    return join(sales, refunds, "left_outer");
  }

  private static Dataset<Row> join(Dataset<Row> sales, Dataset<Row> refunds, String type) {
    Column sameSale =
        expr(
            "sale.region = refund.region and sale.amount = refund.amount"
                + " and refund_time between event_time and event_time + interval "
                + REFUND_PERIOD);
    return sales
        .withWatermark("event_time", DELAY_THRESHOLD)
        .as("sale")
        .join(refunds.withWatermark("refund_time", DELAY_THRESHOLD).as("refund"), sameSale, type)
        .select(col("sale.*"), col("refund_time"));
  }

  /**
   * Prints the sales with their regions and refunds, in append mode.
   *
   * @param args none for the sample data, or {@code --sales}, {@code --refunds}, {@code --regions}
   *     and {@code --checkpoint}
   * @throws Exception if the query cannot start or fails
   */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson =
        LessonRun.open(
            args,
            "Joins sales with a table of regions and a stream of refunds.",
            "sales",
            "refunds",
            "regions",
            "checkpoint")) {
      SparkSession spark = lesson.spark();
      Dataset<Row> sales = FileSource.read(spark, lesson.input("sales"));
      Dataset<Row> refunds = readRefunds(spark, lesson.input("refunds"));
      Dataset<Row> regions = readRegions(spark, lesson.table("regions"));
      StreamingQuery query =
          withRefunds(withRegions(sales, regions), refunds)
              .writeStream()
              .outputMode(OutputMode.Append())
              .foreachBatch(lesson::print)
              .option("checkpointLocation", lesson.checkpoint("sales"))
              .start();
      lesson.replay(query);
    }
  }
}
