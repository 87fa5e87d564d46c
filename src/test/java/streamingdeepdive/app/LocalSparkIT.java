package streamingdeepdive.app;

import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.nio.file.Path;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.OutputMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.StreamingExtension;

@ExtendWith(StreamingExtension.class)
class LocalSparkIT {
  @Test
  void noProcessIsForkedPerFile(
      @Columns("region STRING") FileStream events, @TempDir Path directory) throws Exception {
    try (Recording recording = new Recording()) {
      recording.enable("jdk.ProcessStart");
      recording.start();
      testStream(
          events.toDF().groupBy("region").count(),
          OutputMode.Update(),
          add(events, row("eu")).rows(row("eu", 1L)),
          add(events, row("eu")).rows(row("eu", 2L)));
      recording.stop();
      Path file = directory.resolve("forks.jfr");
      recording.dump(file);

      assertThat(RecordingFile.readAllEvents(file))
          .extracting(event -> event.getString("command"))
          // Spark's metrics ask for it, once in a JVM.
          .filteredOn(command -> !command.equals("getconf PAGESIZE"))
          .isEmpty();
    }
  }

  @Test
  void takesUtcAndFewPartitions(SparkSession spark) {
    assertThat(spark.conf().get("spark.sql.session.timeZone")).isEqualTo("UTC");
    assertThat(spark.conf().get("spark.sql.shuffle.partitions")).isEqualTo("2");
    assertThat(spark.sparkContext().master()).isEqualTo("local[2]");
  }

  @Test
  void sendsNoneOfHadoopsDefaultsToTheTasks(SparkSession spark) {
    Configuration hadoop = spark.sessionState().newHadoopConf();
    assertThat(hadoop.get("io.map.index.interval")).isNull();
    assertThat(hadoop.get("mapreduce.job.maps")).isNull();
    assertThat(hadoop.get("yarn.admin.acl")).isNull();
    assertThat(hadoop.get("fs.file.impl")).isEqualTo(LocalFiles.class.getName());
  }

  @Test
  void aSystemPropertyWins() {
    System.setProperty("spark.sql.shuffle.partitions", "7");
    try {
      assertThat(LocalSpark.conf("name", Path.of("files")).get("spark.sql.shuffle.partitions"))
          .isEqualTo("7");
    } finally {
      System.clearProperty("spark.sql.shuffle.partitions");
    }
  }
}
