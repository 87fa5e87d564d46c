package importer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static streamingdeepdive.testkit.Rows.at;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.Rows.window;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.crash;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.testStream;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.OutputMode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.InMemoryStream;

/** The kit beside a session of the project's own, with its extension at a base class. */
class KitTest extends StreamingTests {
  private static Surroundings before;

  @BeforeAll
  static void look() {
    before = Surroundings.of(spark);
  }

  @AfterAll
  static void nothingHasChanged() {
    assertEquals(before, Surroundings.of(spark));
    assertSame(spark, SparkSession.active());
  }

  @Test
  void itSharesTheContextAndHasASessionOfItsOwn(SparkSession session) {
    assertNotSame(spark, session);
    assertSame(spark.sparkContext(), session.sparkContext());
    assertEquals("UTC", session.conf().get("spark.sql.session.timeZone"));
    assertEquals("3", session.conf().get("spark.sql.shuffle.partitions"));
  }

  @Nested
  class OnFiles {
    @Test
    void totals(FileStream sales) {
      testStream(
          CopiedMain.buildQuery(sales.toDF()),
          OutputMode.Append(),
          add(sales, row(at("12:01"), "eu", 10.0)).rows().state(1),
          restart().rows(),
          crash(sales, row(at("12:15"), "eu", 1.0))
              .rows(row(window("12:00", "12:05"), "eu", 10.0))
              .watermark("12:05"),
          add(sales, row(at("12:04"), "eu", 2.0)).rows().dropped(1));
    }
  }

  @Nested
  class InMemory {
    @Test
    void totals(InMemoryStream sales) {
      testStream(
          CopiedMain.buildQuery(sales.toDF()),
          OutputMode.Update(),
          add(sales, row(at("12:01"), "eu", 10.0))
              .rows(row(window("12:00", "12:05"), "eu", 10.0)));
    }
  }
}
