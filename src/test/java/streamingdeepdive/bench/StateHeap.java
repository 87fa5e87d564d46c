package streamingdeepdive.bench;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.fs.FileUtil;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.app.LocalSpark;
import streamingdeepdive.lesson.Deduplication;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.StateStores;

/**
 * How much heap a query uses that remembers each of 1 million events. Prints the state rows and the
 * bytes after a garbage collection, while the query waits for more.
 */
final class StateHeap {
  private static final int FILES = 5;
  private static final int EVENTS_PER_FILE = 200_000;

  private StateHeap() {}

  /** Argument: the class of the state store. */
  public static void main(String[] args) throws Exception {
    Path directory = Files.createTempDirectory("bench-");
    SparkSession spark = LocalSpark.open("bench");
    spark.conf().set(StateStores.PROVIDER_CLASS, args[0]);
    try {
      Path input = directory.resolve("input");
      StateOverTime.generate(spark, input, FILES, EVENTS_PER_FILE);
      StreamingQuery query =
          Deduplication.buildQuery(
                  FileSource.read(spark, input.toString()), "1 day", "event_time", "region")
              .writeStream()
              .outputMode(OutputMode.Append())
              .format("noop")
              .option("checkpointLocation", directory.resolve("checkpoint").toString())
              .start();
      query.processAllAvailable();
      System.gc();
      System.out.printf(
          "%d %d%n",
          query.lastProgress().stateOperators()[0].numRowsTotal(),
          ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
      query.stop();
    } finally {
      LocalSpark.close(spark);
      FileUtil.fullyDelete(directory.toFile());
    }
  }
}
