package streamingdeepdive.app;

import java.util.concurrent.locks.LockSupport;
import org.apache.spark.api.java.function.ForeachPartitionFunction;
import org.apache.spark.deploy.SparkSubmit;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.StreamingQuery;

/** A main whose first micro-batch never ends, whatever interrupts its task. */
public final class EndlessMicroBatch {
  private EndlessMicroBatch() {}

  /** The same main, as spark-submit starts it. */
  public static final class Submitted {
    public static void main(String[] args) {
      SparkSubmit.main(
          new String[] {"--class=" + EndlessMicroBatch.class.getName(), "spark-internal"});
    }
  }

  /** Prints {@code in the micro-batch} once a task is in it. */
  public static void main(String[] args) throws Exception {
    try (LessonRun lesson = LessonRun.open(args, "Waits for ever.", "input", "checkpoint")) {
      ForeachPartitionFunction<Row> wait =
          rows -> {
            System.out.println("in the micro-batch");
            while (rows != null) {
              LockSupport.park();
            }
          };
      StreamingQuery query =
          lesson
              .spark()
              .readStream()
              .text(lesson.input("sales"))
              .writeStream()
              .foreachBatch(
                  (batch, batchId) -> {
                    batch.foreachPartition(wait);
                  })
              .option("checkpointLocation", lesson.checkpoint("lines"))
              .start();
      lesson.replay(query);
    }
  }
}
