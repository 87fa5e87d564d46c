package streamingdeepdive.exercise.solution;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.window;

import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.FlatMapGroupsWithStateFunction;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.GroupState;
import org.apache.spark.sql.streaming.GroupStateTimeout;
import org.apache.spark.sql.streaming.OutputMode;

/** A function over the rows of a group can ask for the watermark. It needs no state of its own. */
public final class LateSales {
  private LateSales() {}

  public static Dataset<Row> buildQuery(Dataset<Row> sales) {
    Dataset<Row> withEnd =
        sales
            .withWatermark("event_time", "10 minutes")
            .withColumn("end", window(col("event_time"), "5 minutes").getField("end"));
    MapFunction<Row, String> region = sale -> sale.getAs("region");
    FlatMapGroupsWithStateFunction<String, Row, Boolean, Row> late = LateSales::late;
    return withEnd
        .groupByKey(region, Encoders.STRING())
        .flatMapGroupsWithState(
            late,
            OutputMode.Append(),
            Encoders.BOOLEAN(),
            Encoders.row(withEnd.schema()),
            GroupStateTimeout.NoTimeout())
        .drop("end");
  }

  private static Iterator<Row> late(
      String region, Iterator<Row> sales, GroupState<Boolean> unused) {
    long watermark = unused.getCurrentWatermarkMs();
    List<Row> late = new ArrayList<>();
    sales.forEachRemaining(
        sale -> {
          if (sale.<Timestamp>getAs("end").getTime() <= watermark) {
            late.add(sale);
          }
        });
    return late.iterator();
  }
}
