package streamingdeepdive.lesson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.testkit.Rows.row;

import java.net.ConnectException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.app.CapturedLog;
import streamingdeepdive.app.RowCollector;
import streamingdeepdive.app.SocketFeed;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

@ExtendWith(StreamingExtension.class)
class SocketSourceTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String NOON =
      "{\"event_time\":\"2026-01-01T12:00:00\",\"region\":\"eu\",\"amount\":1.0}\n";

  private final RowCollector collector = new RowCollector();
  private SparkSession spark;
  private Path checkpoint;

  @BeforeEach
  void open(TestSession session) {
    spark = session.spark();
    checkpoint = session.newDirectory();
  }

  private StreamingQuery start(String host, int port) throws Exception {
    return SocketSource.read(spark, host, port)
        .writeStream()
        .foreachBatch(collector::collect)
        .option("checkpointLocation", checkpoint.toString())
        .start();
  }

  /** A line is on its way when the server has sent it: waits until that many rows have come. */
  private List<Row> await(int count, StreamingQuery query) {
    List<Row> rows = new ArrayList<>();
    assertTimeoutPreemptively(
        LIMIT,
        () -> {
          while (rows.size() < count) {
            query.processAllAvailable();
            collector.take(Long.MAX_VALUE - 1).values().forEach(rows::addAll);
          }
        });
    return rows;
  }

  @Test
  void linesBecomeTheRowsOfTheFileSource() throws Exception {
    spark.conf().set("spark.sql.session.timeZone", "America/New_York");
    try (SocketFeed server = new SocketFeed()) {
      StreamingQuery query = start("127.0.0.1", Integer.parseInt(server.port()));
      server.land("a", NOON + "no json\n");
      assertThat(await(2, query)).containsExactly(sale("12:00", "eu", 1.0), row(null, null, null));
      server.land("b", NOON);
      assertThat(await(1, query)).containsExactly(sale("12:00", "eu", 1.0));
    }
    assertThat(SocketSource.read(spark, "anywhere", 1).schema())
        .isEqualTo(FileSource.readTable(spark, "sample-data/sales").schema());
  }

  @Test
  void withoutAServerTheQueryStartsAndFails() throws Exception {
    SocketFeed server = new SocketFeed();
    server.close();
    StreamingQuery query = start("127.0.0.1", Integer.parseInt(server.port()));

    assertThatThrownBy(() -> query.awaitTermination(LIMIT.toMillis()))
        .isInstanceOf(StreamingQueryException.class)
        .hasRootCauseInstanceOf(ConnectException.class);
  }

  @Test
  void whenTheServerHangsUpTheQueryGoesOnWithAWarning() throws Exception {
    SocketFeed server = new SocketFeed();
    StreamingQuery query = start("127.0.0.1", Integer.parseInt(server.port()));
    server.land("a", NOON);
    await(1, query);

    try (CapturedLog log = CapturedLog.open()) {
      server.close();

      assertTimeoutPreemptively(
          LIMIT,
          () -> {
            while (log.messages().stream().noneMatch(m -> m.startsWith("Stream closed by"))) {
              query.processAllAvailable();
            }
          });
    }
    assertThat(query.isActive()).isTrue();
    assertThat(query.exception().isDefined()).isFalse();
  }

  @Test
  void startedAgainOnItsCheckpointTheQueryFailsOnce() throws Exception {
    try (SocketFeed server = new SocketFeed()) {
      StreamingQuery query = start("127.0.0.1", Integer.parseInt(server.port()));
      server.land("a", NOON);
      await(1, query);
      query.stop();
    }
    try (SocketFeed server = new SocketFeed()) {
      StreamingQuery query = start("127.0.0.1", Integer.parseInt(server.port()));

      assertThatThrownBy(() -> query.awaitTermination(LIMIT.toMillis()))
          .isInstanceOf(StreamingQueryException.class)
          .hasRootCauseInstanceOf(IndexOutOfBoundsException.class);
    }
    try (SocketFeed server = new SocketFeed()) {
      StreamingQuery query = start("127.0.0.1", Integer.parseInt(server.port()));
      server.land("a", NOON);
      assertThat(await(1, query)).containsExactly(sale("12:00", "eu", 1.0));
    }
  }
}
