package streamingdeepdive.testkit;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
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

  private final MemoryStream<Row> stream;

  /**
   * Creates an empty stream.
   *
   * @param session the session of the test
   * @param columns the columns as in SQL, such as {@code "event_time TIMESTAMP, amount DOUBLE"}
   */
  public InMemoryStream(TestSession session, String columns) {
    stream =
        new MemoryStream<>(
            IDS.getAndIncrement(),
            session.spark().sqlContext(),
            Option.empty(),
            Encoders.row(StructType.fromDDL(columns)));
  }

  @Override
  public void addData(List<Row> rows) {
    stream.addData(JavaConverters.asScalaBuffer(rows).toSeq());
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
