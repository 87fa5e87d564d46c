package streamingdeepdive.app;

import static org.apache.spark.sql.functions.current_timestamp;
import static org.apache.spark.sql.functions.lit;

import java.net.ConnectException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.function.IntFunction;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQueryException;

/** What a running main has around its query: a session, an input, an output, and a print of it. */
public final class AppRun {
  private static final Instant REPLAY_CLOCK = Instant.parse("2026-01-01T18:00:00Z");

  private final AppOptions options;
  private final AppSession session;
  private final StopSignal signal;
  private final Printout printout;
  private final LandingDirectory directory;
  private Landing landing;
  private Optional<Replay> replay = Optional.empty();

  AppRun(AppOptions options, AppSession session, StopSignal signal) {
    this.options = options;
    this.session = session;
    this.signal = signal;
    this.printout = new Printout(this, options, session, signal);
    this.directory = newDirectory("input");
    this.landing = directory;
  }

  void onSocket(SocketOptions server, StreamingApp.SocketBody body) throws Exception {
    if (!options.isReplay()) {
      try {
        body.run(this, server.host(), server.port());
      } catch (StreamingQueryException e) {
        throw ExceptionUtils.indexOfType(e, ConnectException.class) < 0
            ? e
            : new IllegalStateException(
                "No server listens at " + server.place() + "; start one there first.");
      }
      return;
    }
    try (LandingSocket sales = new LandingSocket()) {
      landing = sales;
      body.run(this, sales.host(), sales.port());
    }
  }

  void toTopic(FilesToTopicOptions files, StreamingApp.TopicBody body) throws Exception {
    if (!options.isReplay()) {
      body.run(this, files.topic());
      return;
    }
    try (LocalBroker broker = LocalBroker.start();
        LandingTopic output = new LandingTopic(broker.bootstrapServers(), "totals")) {
      body.run(this, output.topic());
    }
  }

  void toDatabase(FilesToDatabaseOptions files, StreamingApp.DatabaseBody body) throws Exception {
    if (!options.isReplay()) {
      body.run(this, files.database(System.getenv()));
      return;
    }
    try (ReplayDatabase replay = ReplayDatabase.in(session.scratch())) {
      body.run(this, replay.database());
    }
  }

  void onTopic(TopicOptions topic, StreamingApp.TopicBody body) throws Exception {
    if (!options.isReplay()) {
      body.run(this, topic.topic());
      return;
    }
    try (LocalBroker broker = LocalBroker.start();
        LandingTopic sales = new LandingTopic(broker.bootstrapServers(), "sales")) {
      landing = sales;
      body.run(this, sales.topic());
    }
  }

  /**
   * Returns the session of this run.
   *
   * @return a local session, or that of spark-submit
   */
  public SparkSession spark() {
    return session.spark();
  }

  /**
   * Returns the time it is. The events of a replay are of the past, so it has a clock of its own.
   *
   * @return TIMESTAMP: the start of the micro-batch, or the evening of the day of the sample data
   */
  public Column clock() {
    return options.isReplay() ? lit(REPLAY_CLOCK) : current_timestamp();
  }

  /**
   * Returns the directory of event files to read.
   *
   * @return the user's directory, or the one in which the sample data lands
   * @throws Exception if the sample data cannot be read
   */
  public String input() throws Exception {
    return input("sales");
  }

  /**
   * Returns the directory of event files to read.
   *
   * @param folder the folder of the sample data to replay
   * @return the user's directory, or the one in which the folder's files land
   * @throws Exception if the sample data cannot be read
   */
  public String input(String folder) throws Exception {
    return input(Replay.ofFolder(folder, landing));
  }

  /**
   * Returns the directory of event files to read.
   *
   * @param files how many files to replay instead of the sample data
   * @param lines the lines of each, from the first, which is 1; they are not printed
   * @return the user's directory, or the one in which the generated files land
   */
  public String generatedInput(int files, IntFunction<String> lines) {
    return input(Replay.ofGenerated(files, lines, landing));
  }

  /**
   * Returns the directory of event files to read.
   *
   * @return the user's directory, or one in which all the sample data is before a query starts
   * @throws Exception if the sample data cannot be read
   */
  public String backlog() throws Exception {
    return input(Replay.ofFolder("sales", landing).landed(landing));
  }

  /**
   * Leaves out the lines that are no event. How many there were in which files, and why, is printed
   * with each step.
   *
   * @param lines a streaming Dataset with {@code raw}, {@code file} and {@code reason} STRING,
   *     which is null in the lines to take
   * @return the other columns of those
   */
  public Dataset<Row> accepted(Dataset<Row> lines) {
    return SetAside.from(lines);
  }

  /**
   * Returns a replay of the sample data in parts, with directories of its own.
   *
   * @param name what is printed above each part
   * @return the replay, at its beginning
   * @throws Exception if the sample data cannot be read
   */
  public StagedReplay stagedReplay(String name) throws Exception {
    return new StagedReplay(
        name,
        Files.createTempDirectory(session.scratch(), "replay-"),
        SampleData.read("sales"),
        new StepPrinter(spark(), System.out),
        signal);
  }

  private String input(Replay replay) {
    this.replay = Optional.of(replay);
    return options.isReplay() ? directory.uri() : options.input.place();
  }

  /**
   * Returns the directory of more files to read as a stream; call it after {@link #input()}.
   *
   * @param folder a folder of the sample data, whose files land between the others in the order of
   *     all names
   * @return the folder of that name in the user's directory, or the one in which the files land
   * @throws Exception if the sample data cannot be read
   */
  public String moreInput(String folder) throws Exception {
    if (!options.isReplay()) {
      return options.input.place() + "/" + folder;
    }
    LandingDirectory more = newDirectory(folder);
    replay = Optional.of(replay().mergedWith(Replay.ofFolder(folder, more)));
    return more.uri();
  }

  /**
   * Returns the directory of files to read as a table.
   *
   * @param folder a folder of the sample data
   * @return the folder of that name in the user's directory, or one with all files of the sample
   *     data's
   * @throws Exception if the sample data cannot be read
   */
  public String table(String folder) throws Exception {
    if (!options.isReplay()) {
      return options.input.place() + "/" + folder;
    }
    LandingDirectory table = newDirectory(folder);
    SampleData.read(folder).forEach(file -> table.land(file.name(), file.content()));
    return table.uri();
  }

  private LandingDirectory newDirectory(String folder) {
    return new LandingDirectory(session.scratch().resolve(folder));
  }

  /**
   * Returns the directory for what a query without a name writes.
   *
   * @return that of {@code --output}, or one that is deleted with this run
   */
  public String output() {
    return output("");
  }

  /**
   * Returns the directory for what a query writes.
   *
   * @param query the query's name
   * @return a directory in that of {@code --output}, or one that is deleted with this run
   */
  public String output(String query) {
    return directory(options.input.output(), "output", query);
  }

  /**
   * Returns the checkpoint location of a query.
   *
   * @param query the query's name
   * @return a directory in that of {@code --checkpoint}, or one that is deleted with this run
   */
  public String checkpoint(String query) {
    return directory(options.checkpoint, "checkpoint", query);
  }

  private String directory(String users, String ours, String query) {
    String parent =
        Objects.requireNonNullElseGet(
            users,
            () ->
                new org.apache.hadoop.fs.Path(session.scratch().resolve(ours).toUri()).toString());
    return query.isEmpty() ? parent : parent + "/" + query;
  }

  /**
   * Returns what runs queries and prints what they do.
   *
   * @return the printout on stdout
   */
  public Printout out() {
    return printout;
  }

  /** What lands, of the sample data if nothing else was named. */
  Replay replay() throws Exception {
    return replay.isPresent() ? replay.get() : Replay.ofFolder("sales", landing);
  }
}
