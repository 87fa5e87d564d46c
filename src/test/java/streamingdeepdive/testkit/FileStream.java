package streamingdeepdive.testkit;

import java.util.List;
import java.util.Locale;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import streamingdeepdive.app.DirectoryFeed;

/**
 * A directory of JSON files as a stream: each {@link #addData} makes one file, and each file is one
 * micro-batch.
 */
public final class FileStream implements StreamInput {
  private final SparkSession spark;
  private final StructType schema;
  private final DirectoryFeed landing;
  private int files;

  /**
   * Creates an empty stream.
   *
   * @param session the session of the test, with which the files are deleted
   * @param columns the columns as in SQL, such as {@code "event_time TIMESTAMP, amount DOUBLE"}
   */
  public FileStream(TestSession session, String columns) {
    this.spark = session.spark();
    this.schema = StructType.fromDDL(columns);
    this.landing = new DirectoryFeed(session.newDirectory());
  }

  @Override
  public void addData(List<Row> rows) {
    addLines(JsonLines.of(spark, schema, rows).toArray(String[]::new));
  }

  /**
   * Adds a file of any text.
   *
   * @param lines its lines
   */
  public void addLines(String... lines) {
    String name = String.format(Locale.ROOT, "%06d.json", files++);
    landing.land(name, lines.length == 0 ? "" : String.join("\n", lines) + "\n");
  }

  /**
   * Returns the directory, to be read by the code under test.
   *
   * @return an absolute {@code file:} URI
   */
  public String directory() {
    return landing.uri();
  }

  /** {@inheritDoc} It takes one file per micro-batch. */
  @Override
  public Dataset<Row> toDF() {
    return spark.readStream().schema(schema).option("maxFilesPerTrigger", 1).json(directory());
  }

  @Override
  public String toString() {
    return "files";
  }
}
