package importer;

import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The session that the project's tests have had before they knew the kit. */
abstract class OwnSession {
  static SparkSession spark;

  @BeforeAll
  static void open() {
    spark =
        SparkSession.builder()
            .master("local[2]")
            .appName("importer")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.sql.session.timeZone", "Asia/Kathmandu")
            .config("spark.sql.shuffle.partitions", "3")
            .getOrCreate();
  }

  @AfterAll
  static void close() {
    spark.stop();
  }
}
