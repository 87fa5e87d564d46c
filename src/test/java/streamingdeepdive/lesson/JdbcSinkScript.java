package streamingdeepdive.lesson;

import static org.apache.spark.sql.functions.count;
import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.crash;
import static streamingdeepdive.testkit.StreamScript.restart;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import streamingdeepdive.recovery.HookedDriver;
import streamingdeepdive.recovery.TestDatabase;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.Step;

/** What holds on each database, as a script. */
enum JdbcSinkScript {
  A_TOTAL_THAT_CHANGES_REPLACES_ITS_ROW {
    @Override
    void run(TestDatabase database, FileStream sales) throws Exception {
      Map<String, String> options = database.create();
      testStream(
          totals(sales, options),
          () -> read(options),
          start().rows(),
          add(sales, sale("12:01", "eu", 1.0), sale("12:02", "us", 2.0))
              .rows(total("12:00", "12:05", "eu", 1.0), total("12:00", "12:05", "us", 2.0)),
          add(sales, sale("12:14", "eu", 4.0), sale("12:03", "eu", 8.0))
              .rows(
                  total("12:00", "12:05", "eu", 9.0),
                  total("12:00", "12:05", "us", 2.0),
                  total("12:10", "12:15", "eu", 4.0))
              .watermark("12:04"),
          restart()
              .rows(
                  total("12:00", "12:05", "eu", 9.0),
                  total("12:00", "12:05", "us", 2.0),
                  total("12:10", "12:15", "eu", 4.0)),
          add(sales, sale("12:14", "eu", -4.0), sale("12:15", "us", 16.0))
              .rows(
                  total("12:00", "12:05", "eu", 9.0),
                  total("12:00", "12:05", "us", 2.0),
                  total("12:10", "12:15", "eu", 0.0),
                  total("12:15", "12:20", "us", 16.0))
              .state(2),
          add(sales, sale("12:04", "eu", 32.0))
              .rows(
                  total("12:00", "12:05", "eu", 9.0),
                  total("12:00", "12:05", "us", 2.0),
                  total("12:10", "12:15", "eu", 0.0),
                  total("12:15", "12:20", "us", 16.0))
              .dropped(1));
    }
  },

  NULL_IS_A_REGION_AND_A_TOTAL {
    @Override
    void run(TestDatabase database, FileStream sales) throws Exception {
      Map<String, String> options = database.create();
      testStream(
          totals(sales, options),
          () -> read(options),
          add(sales, sale("12:01", null, 1.0), sale("12:01", "", null))
              .rows(total("12:00", "12:05", null, 1.0), total("12:00", "12:05", "", null)),
          add(sales, sale("12:02", null, 2.0), sale("12:02", "", 4.0), sale("12:02", "us", null))
              .rows(
                  total("12:00", "12:05", null, 3.0),
                  total("12:00", "12:05", "", 4.0),
                  total("12:00", "12:05", "us", null)),
          crash(sales, sale("12:03", null, null), sale("12:03", "us", Double.NaN))
              .rows(
                  total("12:00", "12:05", null, 3.0),
                  total("12:00", "12:05", "", 4.0),
                  total("12:00", "12:05", "us", Double.NaN)));
    }
  },

  /** The watermark moves as if nothing had happened, too. */
  A_REPLAYED_MICRO_BATCH_CHANGES_NOTHING {
    @Override
    void run(TestDatabase database, FileStream sales) throws Exception {
      Map<String, String> options = database.create();
      List<String> upserts = recordEvents("\\w+ (INSERT|MERGE) INTO " + QUOTED + " .*");
      testStream(
          totals(sales, options),
          () -> read(options),
          crash(sales, sale("12:01", "eu", 1.0))
              .rows(total("12:00", "12:05", "eu", 1.0))
              .watermark("11:51"),
          check(() -> assertThat(upserts).hasSize(2)),
          crash().rows(total("12:00", "12:05", "eu", 1.0)),
          check(() -> assertThat(upserts).hasSize(2)),
          check(
              () ->
                  TestDatabase.execute(
                      options, "UPDATE " + QUOTED + " SET \"total_amount\" = 100")),
          crash().rows(total("12:00", "12:05", "eu", 100.0)),
          crash(sales, sale("12:15", "eu", 2.0))
              .rows(total("12:00", "12:05", "eu", 100.0), total("12:15", "12:20", "eu", 2.0))
              .watermark("12:05"),
          add(sales, sale("12:04", "eu", 4.0))
              .rows(total("12:00", "12:05", "eu", 100.0), total("12:15", "12:20", "eu", 2.0))
              .dropped(1));
    }
  },

  /** Each event of a micro-batch of one row fails once. */
  AFTER_A_FAILURE_AT_ANY_MOMENT_THE_NEXT_START_GOES_ON {
    @Override
    void run(TestDatabase database, FileStream sales) throws Exception {
      int events = 14;
      // Spark takes a failure of the question whether the stage exists for a no.
      int stageExists = 4;
      Map<String, String> options = database.create();
      List<Step> steps = new ArrayList<>();
      steps.add(add(sales, sale("12:01", "eu", 1.0)).rows(total("12:00", "12:05", "eu", 1.0)));
      for (int event = 1; event <= events; event++) {
        int failing = event;
        String message = event == stageExists ? "already exists" : "gone";
        double before = event == events ? event + 1 : event;
        steps.add(check(() -> failAt(failing, ".*")));
        steps.add(add(sales, sale("12:01", "eu", 1.0)).expectFailure(SQLException.class, message));
        steps.add(check(HookedDriver::removeHook));
        steps.add(
            check(
                () ->
                    assertThat(read(options).collectAsList())
                        .containsExactly(total("12:00", "12:05", "eu", before))));
        steps.add(start().rows(total("12:00", "12:05", "eu", event + 1.0)));
      }
      steps.add(check(() -> failAt(events + 1, ".*")));
      steps.add(
          add(sales, sale("12:01", "eu", 1.0)).rows(total("12:00", "12:05", "eu", events + 2.0)));

      testStream(totals(sales, options), () -> read(options), steps.toArray(Step[]::new));
    }
  },

  AFTER_A_FAILURE_WHILE_THE_TABLES_ARE_MADE_THE_NEXT_START_GOES_ON {
    @Override
    void run(TestDatabase database, FileStream sales) throws Exception {
      Map<String, String> options = database.create();
      testStream(
          totals(sales, options),
          () -> read(options),
          check(() -> failAt(1, ".* CREATE TABLE .*_%\" .*")),
          add(sales, sale("12:01", "eu", 1.0)).expectFailure(SQLException.class, "gone"),
          check(() -> failAt(1, ".* CREATE TABLE .*_progress\" .*")),
          start().expectFailure(SQLException.class, "gone"),
          check(() -> failAt(1, ".* INSERT INTO .*_progress\" .*")),
          start().expectFailure(SQLException.class, "gone"),
          check(() -> failAt(1, ".* CREATE TABLE .*_stage\" .*")),
          start().expectFailure(SQLException.class, "gone"),
          check(HookedDriver::removeHook),
          start().rows(total("12:00", "12:05", "eu", 1.0)));
    }
  },

  READERS_SEE_A_MICRO_BATCH_WHOLE_OR_NOT_AT_ALL {
    @Override
    void run(TestDatabase database, FileStream sales) throws Exception {
      Map<String, String> options = database.create();
      String query = "SELECT \"total_amount\" FROM " + QUOTED + " ORDER BY \"region\"";
      List<List<String>> seen = Collections.synchronizedList(new ArrayList<>());
      testStream(
          totals(sales, options),
          () -> read(options),
          add(sales, sale("12:01", "eu", 1.0)).rows(total("12:00", "12:05", "eu", 1.0)),
          check(
              () -> HookedDriver.setHook(event -> seen.add(TestDatabase.execute(options, query)))),
          add(sales, sale("12:01", "eu", 2.0), sale("12:01", "us", 4.0))
              .rows(total("12:00", "12:05", "eu", 3.0), total("12:00", "12:05", "us", 4.0)),
          check(HookedDriver::removeHook));

      // The last event is behind the commit.
      assertThat(seen.subList(0, seen.size() - 1))
          .hasSizeGreaterThan(10)
          .allSatisfy(totals -> assertThat(totals).hasSize(1).first().asString().startsWith("1"));
      assertThat(seen.get(seen.size() - 1)).hasSize(2);
    }
  },

  /** Two tasks may write the same part, and one may end when its query is long gone. */
  WHAT_A_TASK_OF_ANOTHER_RUN_HAS_STAGED_IS_LEFT_OUT {
    @Override
    void run(TestDatabase database, FileStream sales) throws Exception {
      Map<String, String> options = database.create();
      String stray =
          "INSERT INTO "
              + QUOTED_STAGE
              + " VALUES (1767268800000000, 1767269100000000, 'eu', 1000, 1)";
      String count = "SELECT count(*) FROM " + QUOTED_STAGE;
      testStream(
          totals(sales, options),
          () -> read(options),
          check(() -> before(".*INSERT INTO " + QUOTED_STAGE + ".*", options, stray)),
          add(sales, sale("12:01", "eu", 1.0)).rows(total("12:00", "12:05", "eu", 1.0)),
          check(() -> assertThat(TestDatabase.execute(options, count)).containsExactly("0")));
    }
  },

  /** As by a second process with the same checkpoint. */
  IF_STAGED_ROWS_ARE_GONE_NOTHING_IS_WRITTEN {
    @Override
    void run(TestDatabase database, FileStream sales) throws Exception {
      Map<String, String> options = database.create();
      testStream(
          totals(sales, options),
          () -> read(options),
          add(sales, sale("12:01", "eu", 1.0)).rows(total("12:00", "12:05", "eu", 1.0)),
          check(() -> before("\\w+ UPDATE .*", options, "DELETE FROM " + QUOTED_STAGE)),
          add(sales, sale("12:01", "eu", 2.0), sale("12:01", "us", 1.0))
              .expectFailure(
                  IllegalStateException.class,
                  "Of the 2 rows of micro-batch 2, 0 were found in "
                      + QUOTED_STAGE
                      + ": another process writes there. Stop it and start again."),
          check(HookedDriver::removeHook),
          check(
              () ->
                  assertThat(read(options).collectAsList())
                      .containsExactly(total("12:00", "12:05", "eu", 1.0))),
          start().rows(total("12:00", "12:05", "eu", 3.0), total("12:00", "12:05", "us", 1.0)));
    }
  };

  static final String TABLE = "daily \"totals\"_%";
  private static final String QUOTED = "\"daily \"\"totals\"\"_%\"";
  private static final String QUOTED_STAGE = "\"daily \"\"totals\"\"_%_stage\"";

  /** The statements of the script. */
  abstract void run(TestDatabase database, FileStream sales) throws Exception;

  /** A program that writes the windowed totals of sales to a database through the hook. */
  static Function<String, DataStreamWriter<Row>> totals(
      FileStream sales, Map<String, String> options) {
    return checkpoint ->
        JdbcSink.buildQuery(
            WindowedAggregation.buildQuery(sales.toDF()),
            HookedDriver.hooked(options),
            TABLE,
            checkpoint);
  }

  static Dataset<Row> read(Map<String, String> options) {
    return JdbcSink.read(SparkSession.active(), options, TABLE);
  }

  /** What another client does before each event that matches. */
  static void before(String pattern, Map<String, String> options, String sql) {
    HookedDriver.setHook(
        event -> {
          if (event.matches(pattern)) {
            TestDatabase.execute(options, sql);
          }
        });
  }

  private static List<String> recordEvents(String pattern) {
    List<String> events = Collections.synchronizedList(new ArrayList<>());
    HookedDriver.setHook(
        event -> {
          if (event.matches(pattern)) {
            events.add(event);
          }
        });
    return events;
  }

  private static void failAt(int nth, String pattern) {
    AtomicInteger count = new AtomicInteger();
    HookedDriver.setHook(
        event -> {
          if (event.matches(pattern) && count.incrementAndGet() == nth) {
            throw new SQLException("gone");
          }
        });
  }
}
