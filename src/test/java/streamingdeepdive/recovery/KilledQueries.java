package streamingdeepdive.recovery;

import java.nio.file.Path;
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
import streamingdeepdive.lesson.KafkaSource;

/**
 * Opens a session, waits for a line on stdin, and runs queries over the input that is there. At the
 * kill point it stands still: a thread that wants to change a file waits for the end of the
 * process.
 */
final class KilledQueries {
  private KilledQueries() {}

  /**
   * Prints {@code waiting} when it has come to the kill point, {@code done} when all is done.
   *
   * @param args the directory of everything, the input, the kill point's parts, the queries; the
   *     input is the number of files per micro-batch, or a topic as {@code servers/topic/records}
   */
  public static void main(String[] args) throws Exception {
    SparkSession spark = LocalSpark.open("killed queries");
    String place = HookedFileSystem.in(spark, Path.of(args[0]));
    KillPoint.Gate gate = new KillPoint(Integer.parseInt(args[2]), args[3]).gate();
    HookedFileSystem.setHook((change, path) -> gate.pass(change + " " + path));
    if (System.in.read() < 0) {
      return; // The one that was to say so is gone.
    }

    Dataset<Row> events = read(spark, place, args[1]);
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

  private static Dataset<Row> read(SparkSession spark, String place, String input) {
    if (!input.contains("/")) {
      return FileSource.read(spark, place + "/input", Integer.parseInt(input));
    }
    String[] topic = input.split("/");
    Map<String, String> limit = Map.of("maxOffsetsPerTrigger", topic[2]);
    return KafkaSource.events(KafkaSource.records(spark, topic[0], topic[1], limit));
  }
}
