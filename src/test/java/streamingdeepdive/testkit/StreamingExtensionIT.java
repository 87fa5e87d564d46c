package streamingdeepdive.testkit;

import static org.apache.spark.sql.streaming.OutputMode.Append;
import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.Rows.values;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.testStream;

import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.app.JavaRuntime;

/** How other people's tests are built. */
class StreamingExtensionIT {
  @ExtendWith(StreamingExtension.class)
  @Columns("name STRING")
  abstract static class Base {}

  @Nested
  class ThatExtendsABase extends Base {
    @Test
    void hasItsColumns(InMemoryStream names) {
      testStream(names.toDF(), Append(), add(names, row("a")).rows(values("a")));
    }

    @Nested
    class Inside {
      @Test
      void hasThemToo(InMemoryStream names, @Columns("n BIGINT") InMemoryStream numbers) {
        testStream(names.toDF(), Append(), add(names, row("a")).rows(values("a")));
        testStream(numbers.toDF(), Append(), add(numbers, row(1L)).rows(values(1L)));
      }
    }
  }

  /** What is set up before each test is of that test, also in a constructor. */
  @Nested
  @ExtendWith(StreamingExtension.class)
  class ThatSetsUp {
    private final SparkSession constructed;
    private final TestClock clock;

    ThatSetsUp(SparkSession constructed, TestClock clock) {
      this.constructed = constructed;
      this.clock = clock;
    }

    @BeforeAll
    static void hasASessionOfTheClass(SparkSession spark) {
      spark.conf().set("of.the.class", "true");
    }

    @RepeatedTest(2)
    void hasOneSessionAndOneClockPerTest(SparkSession spark, TestClock same) {
      assertThat(spark).isSameAs(constructed);
      assertThat(same).isSameAs(clock);
      assertThat(spark.conf().contains("of.the.class")).isFalse();
      assertThat(spark.conf().contains("of.the.test")).isFalse();
      spark.conf().set("of.the.test", "true");
    }
  }

  @Test
  void aContextThatIsStoppedWhileAQueryRunsDoesNoHarm() throws Exception {
    try (TestSession session = TestSession.open()) {
      new InMemoryStream(session, "n INT").toDF().writeStream().format("noop").start();
      session.spark().stop();
    }
  }

  /** With a context of the project's own, in another time zone and with Spark's defaults. */
  @Test
  void theKitJoinsTheContextThatIsRunning() {
    TestSession.open().spark().stop();
    JavaRuntime.prepare();
    SparkSession own =
        SparkSession.builder()
            .master("local[1]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.sql.session.timeZone", "Asia/Tokyo")
            .getOrCreate();
    try (TestSession session = TestSession.open()) {
      InMemoryStream names = new InMemoryStream(session, "name STRING");
      assertThat(session.spark().sparkContext()).isSameAs(own.sparkContext());
      assertThat(session.spark().conf().get("spark.sql.session.timeZone")).isEqualTo("UTC");
      testStream(names.toDF(), Append(), add(names, row("a")).rows(values("a")));
    }
    assertThat(own.conf().get("spark.sql.session.timeZone")).isEqualTo("Asia/Tokyo");

    own.stop();
    try (TestSession session = TestSession.open()) {
      assertThat(session.spark().sparkContext()).isNotSameAs(own.sparkContext());
    }
  }
}
