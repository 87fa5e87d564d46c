package streamingdeepdive.recovery;

import static org.apache.spark.sql.functions.lit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileUtil;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import streamingdeepdive.app.CapturedLog;
import streamingdeepdive.app.DirectoryFeed;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.JdbcSink;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

/** What is said instead of a start that would lose, mix or double totals. Nothing is touched. */
@ExtendWith(StreamingExtension.class)
class JdbcSinkGuardsIT {
  private static final String ANEW = "start anew with a new checkpoint and a new table.";

  private TestSession session;
  private Path place;
  private DirectoryFeed input;
  private Map<String, String> options;

  @BeforeEach
  void land(TestSession session) throws SQLException {
    this.session = session;
    place = session.newDirectory();
    input = new DirectoryFeed(place.resolve("input"));
    options = TestDatabase.H2.create();
    land("12:01");
  }

  private void land(String time) {
    input.land(
        time.replace(':', '-') + ".json",
        "{\"event_time\":\"2026-01-01T%s:00Z\",\"region\":\"eu\",\"amount\":1.0}\n"
            .formatted(time));
  }

  private String in(String name) {
    return "file:" + place.resolve(name);
  }

  private Dataset<Row> totals() {
    return WindowedAggregation.buildQuery(FileSource.read(session.spark(), in("input")));
  }

  private StreamingQuery start(String checkpoint) throws Exception {
    return JdbcSink.buildQuery(totals(), options, "totals", in(checkpoint))
        .trigger(Trigger.AvailableNow())
        .start();
  }

  /** Micro-batch 0 takes in the first file, 1 has no data, and so on. */
  private void run() throws Exception {
    start("checkpoint").awaitTermination();
  }

  private void assertRefused(String checkpoint, String sentence) {
    List<String> before = tables();
    assertThatThrownBy(() -> JdbcSink.buildQuery(totals(), options, "totals", in(checkpoint)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(sentence.replace("CHECKPOINT", in(checkpoint)));
    assertThat(tables()).isEqualTo(before);
  }

  private List<String> tables() {
    return TestDatabase.execute(options, "SCRIPT");
  }

  private void execute(String sql) {
    TestDatabase.execute(options, sql);
  }

  @Test
  void aNewCheckpointOnAnOldTable() throws Exception {
    run();

    assertRefused(
        "another",
        "The output table totals was written from another checkpoint location than CHECKPOINT, and"
            + " the totals of both would be mixed. Start on the checkpoint that wrote it, or give"
            + " the query a new output.");
  }

  /** The guard was passed before the other query wrote its first micro-batch. */
  @Test
  void twoQueriesStartOnTheSameNewTable() throws Exception {
    var late = JdbcSink.buildQuery(totals(), options, "totals", in("another"));
    run();
    List<String> before = tables();

    assertThatThrownBy(() -> late.trigger(Trigger.AvailableNow()).start().awaitTermination())
        .rootCause()
        .hasMessage(
            "The table totals does not hold what this query has written before micro-batch 0."
                + " Restore it, or "
                + ANEW);
    assertThat(tables()).isEqualTo(before);
  }

  @Test
  void aTableThatIsGone() throws Exception {
    run();
    execute("DROP ALL OBJECTS");

    assertRefused(
        "checkpoint",
        "The output table totals lacks what was written from the checkpoint location CHECKPOINT,"
            + " micro-batches 0 to 1. Restore the output, or start anew with a new checkpoint and a"
            + " new output.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0 | lacks what was written from the checkpoint location CHECKPOINT, micro-batches 1 to 1. \
          Restore the output, or start anew with a new checkpoint and a new output.
          9 | is ahead of the checkpoint location CHECKPOINT: it has micro-batches up to 9, whose \
          totals would be mixed with older ones. Start on the checkpoint that wrote it, as it is \
          now, or give the query a new output.
          """)
  void aTableOfAnotherTime(long batchId, String sentence) throws Exception {
    run();
    execute("UPDATE \"totals_progress\" SET \"batch_id\" = " + batchId);

    assertRefused("checkpoint", "The output table totals " + sentence);
  }

  @Test
  void aTableThatIsSetBackWhileTheQueryRuns() throws Exception {
    run();
    var next = JdbcSink.buildQuery(totals(), options, "totals", in("checkpoint"));
    land("12:02");
    execute("UPDATE \"totals_progress\" SET \"batch_id\" = 0");

    assertThatThrownBy(() -> next.trigger(Trigger.AvailableNow()).start().awaitTermination())
        .rootCause()
        .hasMessage(
            "The table totals does not hold what this query has written before micro-batch 2."
                + " Restore it, or "
                + ANEW);
  }

  @Test
  void rowsThatNobodyHasPutOnRecord() throws Exception {
    run();
    execute("DROP TABLE \"totals_progress\"");

    assertRefused(
        "another",
        "The table totals holds rows, but totals_progress does not say of which query. Restore it,"
            + " or give the query a new table.");
  }

  @Test
  void aCheckpointInUse() throws Exception {
    StreamingQuery running =
        JdbcSink.buildQuery(totals(), options, "totals", in("checkpoint")).start();
    running.processAllAvailable();

    assertRefused(
        "checkpoint",
        "The checkpoint location CHECKPOINT is in use by a running query. Stop that query first, or"
            + " give this one a checkpoint location of its own.");
  }

  @Test
  void aCheckpointInsideTheInput() {
    assertThatThrownBy(
            () -> JdbcSink.buildQuery(totals(), options, "totals", in("input/checkpoint")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("are inside one another");
  }

  @Test
  void aTableWithOtherColumns() {
    execute("CREATE TABLE \"totals\" (\"window_start\" DATE, \"region\" VARCHAR(10))");

    assertRefused(
        "checkpoint",
        "The table totals has the columns window_start DATE, region CHARACTER VARYING; the query"
            + " needs window_start TIMESTAMP WITH TIME ZONE, window_end TIMESTAMP WITH TIME ZONE,"
            + " region CHARACTER VARYING, total_amount DOUBLE PRECISION. Give the query another"
            + " table.");
  }

  /** Rows in a table of the right columns count as well: the user may have made it. */
  @Test
  void anEmptyTableWithTheSameColumnsIsTaken() throws Exception {
    run();
    execute("DROP TABLE \"totals_progress\"");
    execute("DELETE FROM \"totals\"");
    FileUtil.fullyDelete(place.resolve("checkpoint").toFile());
    run();

    assertThat(TestDatabase.execute(options, "SELECT \"region\" FROM \"totals\""))
        .containsExactly("eu");
  }

  /** A third key would make several rows of one window and region. */
  @Test
  void totalsWithOtherColumns() {
    Dataset<Row> other = totals().withColumn("currency", lit("EUR"));
    assertUnusable(
        () -> JdbcSink.buildQuery(other, options, "totals", in("checkpoint")),
        "The sink keeps one row per key and takes the columns [region string, total_amount double,"
            + " window struct<start:timestamp,end:timestamp>], but the query has [currency string,"
            + " region string, total_amount double, window struct<start:timestamp,end:timestamp>]."
            + " Select those, or give the others a sink with keys of their own.");
  }

  @Test
  void aNameThatLeavesNoRoomForTheTablesBeside() throws Exception {
    String longest = "t".repeat(247);
    JdbcSink.buildQuery(totals(), options, longest, in("checkpoint"))
        .trigger(Trigger.AvailableNow())
        .start()
        .awaitTermination();
    assertThat(JdbcSink.read(session.spark(), options, longest).count()).isEqualTo(1);

    assertUnusable(
        () -> JdbcSink.buildQuery(totals(), options, longest + "t", in("another")),
        "The table name "
            + longest
            + "t is too long: with _progress behind it, it must fit into 256 bytes. Give the table"
            + " a shorter one.");
  }

  private void assertUnusable(ThrowingCallable build, String sentence) {
    assertThatThrownBy(build).isInstanceOf(IllegalArgumentException.class).hasMessage(sentence);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:h2:mem:x;USER=ann;PASSWORD=sesame",
        "jdbc:postgresql://localhost/x?user=ann&password=sesame",
        "jdbc:postgresql://ann:sesame@localhost/x"
      })
  void aPasswordInTheUrl(String url) {
    assertUnusable(
        () -> new JdbcDatabase(Map.of("url", url)),
        "The JDBC URL holds a user or a password; give them as the options user and password.");
  }

  @Test
  void noUrlAndNoDriver() {
    assertUnusable(
        () -> new JdbcDatabase(Map.of()),
        "The options name no database; give its JDBC URL as the option url.");
    assertUnusable(
        () -> new JdbcDatabase(Map.of("url", "jdbc:nodb://host/x")),
        "There is no JDBC driver for jdbc:nodb://host/x; add its jar to the class path, and if that"
            + " is not enough, give its class as the option driver.");
  }

  /** Right at the start, and wrong when the query runs. */
  @Test
  void thePasswordIsNeitherSaidNorLogged() throws Exception {
    options = new HashMap<>(options);
    options.put("user", "ann");
    options.put("password", "sesame");
    execute("SELECT 1");
    StringWriter said = new StringWriter();
    try (CapturedLog log = CapturedLog.open()) {
      run();
      land("12:02");
      var next = JdbcSink.buildQuery(totals(), options, "totals", in("checkpoint"));
      execute("ALTER USER ann SET PASSWORD 'other'");
      assertThatThrownBy(() -> next.trigger(Trigger.AvailableNow()).start().awaitTermination())
          .rootCause()
          .hasMessageContaining("Wrong user name or password")
          .satisfies(e -> e.printStackTrace(new PrintWriter(said)));
      assertThatThrownBy(() -> start("checkpoint"))
          .hasMessageStartingWith("The database " + options.get("url") + " cannot be read: Wrong ")
          .hasNoCause()
          .satisfies(e -> e.printStackTrace(new PrintWriter(said)));
      assertThat(log.messages()).isNotEmpty().noneMatch(message -> message.contains("sesame"));
    }
    assertThat(said.toString()).isNotEmpty().doesNotContain("sesame");
  }
}
