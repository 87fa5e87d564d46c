package streamingdeepdive.lesson;

import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.JdbcSinkScript.read;
import static streamingdeepdive.lesson.JdbcSinkScript.totals;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.lesson.Sales.total;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.check;
import static streamingdeepdive.testkit.StreamScript.start;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import streamingdeepdive.recovery.HookedDriver;
import streamingdeepdive.recovery.PostgresServer;
import streamingdeepdive.recovery.TestDatabase;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.StreamingExtension;

/** On a PostgreSQL server. */
@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class JdbcSinkIT {
  @AfterEach
  void everyConnectionIsClosed() {
    HookedDriver.removeHook();
    assertThat(HookedDriver.openConnections()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void onPostgresql(JdbcSinkScript script, FileStream sales) throws Exception {
    script.run(TestDatabase.POSTGRESQL, sales);
  }

  @Test
  void aDatabaseThatGoesAwayFailsTheQueryAndComesBack(FileStream sales) throws Exception {
    Map<String, String> options = TestDatabase.POSTGRESQL.create();
    PostgresServer server = PostgresServer.shared();
    AtomicBoolean away = new AtomicBoolean();
    try {
      testStream(
          totals(sales, options),
          () -> away.get() ? SparkSession.active().emptyDataFrame() : read(options),
          add(sales, sale("12:01", "eu", 1.0)).rows(total("12:00", "12:05", "eu", 1.0)),
          check(
              () ->
                  HookedDriver.setHook(
                      event -> {
                        if (event.contains(" UPDATE ") && away.compareAndSet(false, true)) {
                          server.stop();
                        }
                      })),
          add(sales, sale("12:02", "eu", 2.0)).expectFailure(SQLException.class, ""),
          start().expectFailure(SQLException.class, "refused"),
          check(server::resume),
          check(() -> away.set(false)),
          check(HookedDriver::removeHook),
          start().rows(total("12:00", "12:05", "eu", 3.0)));
    } finally {
      if (away.get()) {
        server.resume();
      }
    }
  }
}
