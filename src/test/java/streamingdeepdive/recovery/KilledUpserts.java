package streamingdeepdive.recovery;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;
import streamingdeepdive.app.LocalSpark;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.JdbcSink;
import streamingdeepdive.lesson.WindowedAggregation;

/**
 * Writes the totals of all files that are there to two databases, a file per micro-batch. At the
 * kill point of each it stands still.
 */
final class KilledUpserts {
  private KilledUpserts() {}

  /** The options of a database file, which has a password. */
  static Map<String, String> h2(String place) {
    return Map.of("url", "jdbc:h2:file:" + place + "/database", "user", "sa", "password", "sesame");
  }

  /**
   * Prints {@code waiting} each time it has come to the kill point, {@code done} when all is done.
   *
   * @param args the directory of everything, the kill point's parts, the URL of PostgreSQL, the
   *     databases to write to, {@code h2} and {@code postgresql}
   */
  public static void main(String[] args) throws Exception {
    String place = args[0];
    KillPoint kill = new KillPoint(Integer.parseInt(args[1]), args[2]);
    Map<String, KillPoint.Gate> gates = Map.of("H2", kill.gate(), "PostgreSQL", kill.gate());
    HookedDriver.setHook(event -> gates.get(event.split(" ")[0]).pass(event));
    // The server of the tests takes any password.
    Map<String, Map<String, String>> databases =
        Map.of(
            "h2",
            h2(place),
            "postgresql",
            Map.of("url", args[3], "user", "postgres", "password", "sesame"));

    SparkSession spark = LocalSpark.open("killed upserts");
    Dataset<Row> totals =
        WindowedAggregation.buildQuery(FileSource.read(spark, place + "/input", 1));
    List<StreamingQuery> running = new ArrayList<>();
    for (String name : List.of(args).subList(4, args.length)) {
      running.add(
          JdbcSink.buildQuery(
                  totals,
                  HookedDriver.hooked(databases.get(name)),
                  "totals",
                  place + "/checkpoint/" + name)
              .trigger(Trigger.AvailableNow())
              .start());
    }
    for (StreamingQuery query : running) {
      query.awaitTermination();
    }
    System.out.println("done");
    LocalSpark.close(spark);
  }
}
