package streamingdeepdive.testkit;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.execution.streaming.MemoryStream;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.collection.JavaConverters;

/**
 * Rows in memory as a stream, faster than {@link FileStream}. A micro-batch takes all that has been
 * added before it starts.
 */
public final class InMemoryStream implements StreamInput {
  private static final AtomicInteger IDS = new AtomicInteger();

  private final SparkSession spark;
  private final StructType schema;
  private final MemoryStream<Row> stream;

  /**
   * Creates an empty stream.
   *
   * @param session the session of the test
   * @param columns the columns as in SQL, such as {@code "event_time TIMESTAMP, amount DOUBLE"}
   */
  public InMemoryStream(TestSession session, String columns) {
    spark = session.spark();
    schema = StructType.fromDDL(columns);
    stream = new Kept(IDS.getAndIncrement(), spark, schema);
  }

  /** Spark's own forgets the rows that a query has committed; a second query would not get them. */
  @SuppressWarnings("serial")
  private static final class Kept extends MemoryStream<Row> {
    Kept(int id, SparkSession spark, StructType schema) {
      super(id, spark.sqlContext(), Option.empty(), Encoders.row(schema));
    }

    @Override
    public void commit(Offset end) {}
  }

  /** {@inheritDoc} Java collections come out of a Dataset as the Scala ones that Spark wants. */
  @Override
  public void addData(List<Row> rows) {
    List<Row> converted = TypedRows.of(spark, schema, rows).collectAsList();
    stream.addData(JavaConverters.asScalaBuffer(converted).toSeq());
  }

  @Override
  public Dataset<Row> toDF() {
    return stream.toDF();
  }

  @Override
  public String toString() {
    return "memory";
  }
}
