package streamingdeepdive.testkit;

import java.lang.reflect.Field;
import java.util.Optional;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.streaming.ProcessingTimeTrigger;
import org.apache.spark.sql.internal.SessionState;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryManager;
import org.apache.spark.sql.streaming.Trigger;
import org.apache.spark.util.Clock;
import org.apache.spark.util.ManualClock;
import scala.Function0;

/**
 * The clock of all queries of a session: it stands still until a test moves it with {@link
 * StreamScript#advance}. Triggers of a fixed interval, {@code current_timestamp()} and
 * processing-time timeouts go by it. It starts at noon of {@link Rows#DAY}.
 *
 * <p>A query with such a trigger runs a micro-batch when it is started and at each advance that
 * reaches its interval; rows that are added wait for that.
 */
public final class TestClock {
  private final Manual clock = new Manual(Rows.instant("12:00").toEpochMilli());

  /**
   * Gives a session this clock.
   *
   * @param session a session that has not run a query yet
   */
  public TestClock(TestSession session) {
    SparkSession spark = session.spark();
    Queries queries = new Queries(spark, this);
    Function0<StreamingQueryManager> builder = () -> queries;
    try {
      Field field = SessionState.class.getDeclaredField("streamingQueryManagerBuilder");
      field.setAccessible(true);
      field.set(spark.sessionState(), builder);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Not the Spark version that this clock was made for", e);
    }
    if (spark.streams() != queries) {
      throw new IllegalStateException("Create the clock before the session's first query");
    }
  }

  /** Spark takes a clock in its private start method only, whose default argument this replaces. */
  private static final class Queries extends StreamingQueryManager {
    private final TestClock clock;

    Queries(SparkSession spark, TestClock clock) {
      super(spark, spark.sessionState().conf());
      this.clock = clock;
    }

    @Override
    public Clock startQuery$default$10() {
      return clock.clock;
    }
  }

  /** The clock of a query, if it has one. */
  static Optional<TestClock> of(StreamingQuery query) {
    return query.sparkSession().streams() instanceof Queries queries
        ? Optional.of(queries.clock)
        : Optional.empty();
  }

  /**
   * Moves the clock on from within a query, as if that took so long. A script has {@link
   * StreamScript#advance}, which waits for what comes of it.
   *
   * @param interval such as {@code "10 seconds"}
   */
  public void advance(String interval) {
    clock.advance(((ProcessingTimeTrigger) Trigger.ProcessingTime(interval)).intervalMs());
  }

  /** Whether a query has nothing to do before the clock moves on. */
  boolean isAwaited() {
    return clock.isAwaited();
  }

  private static final class Manual extends ManualClock {
    private long awaited = Long.MIN_VALUE;

    Manual(long time) {
      super(time);
    }

    @Override
    public synchronized long waitTillTime(long time) {
      awaited = time;
      try {
        return super.waitTillTime(time);
      } finally {
        awaited = Long.MIN_VALUE;
      }
    }

    synchronized boolean isAwaited() {
      return awaited > getTimeMillis();
    }
  }
}
