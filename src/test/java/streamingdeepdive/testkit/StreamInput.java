package streamingdeepdive.testkit;

import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** A stream that a test feeds row by row, whatever its source is. */
public interface StreamInput {
  /**
   * Adds rows in one piece: no query sees a part of them.
   *
   * @param rows rows with the columns of the stream
   */
  void addData(List<Row> rows);

  /**
   * Returns the stream.
   *
   * @return a streaming Dataset
   */
  Dataset<Row> toDF();
}
