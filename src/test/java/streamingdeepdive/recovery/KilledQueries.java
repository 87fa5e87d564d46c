package streamingdeepdive.recovery;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;
import streamingdeepdive.app.LocalSpark;
import streamingdeepdive.lesson.FileSource;

/**
 * Runs queries over all files that are there. At the kill point it stands still: a thread that
 * wants to change a file waits for the end of the process.
 */
final class KilledQueries {
  private KilledQueries() {}

  /**
   * Prints {@code waiting} when it has come to the kill point, {@code done} when all is done.
   *
   * @param args the directory of everything, the files per micro-batch, the kill point's parts, the
   *     queries
   */
  public static void main(String[] args) throws Exception {
    SparkSession spark = LocalSpark.open("killed queries", false);
    String place = HookedFileSystem.in(spark, java.nio.file.Path.of(args[0]));
    KillPoint.Gate gate = new KillPoint(Integer.parseInt(args[2]), args[3]).gate();
    HookedFileSystem.setHook((change, path) -> gate.pass(change + " " + path));

    Dataset<Row> events = FileSource.read(spark, place + "/input", Integer.parseInt(args[1]));
    List<StreamingQuery> running = new ArrayList<>();
    for (String name : List.of(args).subList(4, args.length)) {
      running.add(
          RecoveredQuery.valueOf(name)
              .write(events, place + "/output/" + name, place + "/checkpoint/" + name)
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
