package streamingdeepdive.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.commons.io.FileUtils;
import org.apache.spark.sql.execution.streaming.AvailableNowTrigger$;
import org.apache.spark.sql.execution.streaming.MicroBatchExecution;
import org.apache.spark.sql.execution.streaming.OneTimeTrigger$;
import org.apache.spark.sql.execution.streaming.StreamExecution;
import org.apache.spark.sql.execution.streaming.StreamingQueryWrapper;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.apache.spark.sql.streaming.Trigger;
import streamingdeepdive.app.QueryLog;

/** One run of a script: the query, its checkpoint, and what has been seen of them. */
final class ScriptRun implements AutoCloseable {
  private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

  private final RowView view;
  private final Path checkpoint = TestSession.createDirectory();
  private final Path commits = checkpoint.resolve("commits");
  private Function<String, ? extends DataStreamWriter<?>> program;
  private Optional<Trigger> trigger = Optional.empty();
  private StreamingQuery query;
  private QueryLog log;
  private Optional<QueryLog.Entry> now = Optional.empty();
  private Optional<QueryLog.Entry> latest = Optional.empty();
  private boolean down;
  private Duration limit;

  ScriptRun(Function<String, ? extends DataStreamWriter<?>> program, RowView view) {
    this.program = program;
    this.view = view;
  }

  /** Runs a step and looks at what came of it. */
  Outcome run(Step step) throws Throwable {
    limit = step.limit();
    now = Optional.empty();
    try {
      step.run(this);
    } catch (Throwable e) {
      try {
        look(); // at what ran before the failure, so that no later step sees it
      } catch (Exception unreadable) {
        e.addSuppressed(unreadable);
      }
      throw e;
    }
    return look();
  }

  private Outcome look() throws Exception {
    awaitListeners();
    readLog();
    latest = now.or(() -> latest);
    return new Outcome(query, view.after(now), now, latest);
  }

  /** Spark tells them on a thread of their own; of its end a query tells on its thread. */
  private void awaitListeners() throws Exception {
    if (query != null) {
      if (!query.isActive()) {
        execution().queryExecutionThread().join(STOP_LIMIT.toMillis());
      }
      query.sparkSession().sparkContext().listenerBus().waitUntilEmpty(STOP_LIMIT.toMillis());
    }
  }

  /** A step may have started the query more than once; each run has a log of its own. */
  private void readLog() {
    Optional<QueryLog.Entry> more = log == null ? Optional.empty() : log.take();
    now = more.map(entry -> now.map(before -> joined(before, entry)).orElse(entry)).or(() -> now);
  }

  private static QueryLog.Entry joined(QueryLog.Entry before, QueryLog.Entry entry) {
    return new QueryLog.Entry(
        Stream.concat(before.progress().stream(), entry.progress().stream()).toList(),
        entry.watermark());
  }

  /** Several additions are made while the query is held before its next micro-batch. */
  void add(List<Runnable> additions) throws Throwable {
    startUnlessDown();
    if (additions.size() > 1 && execution() instanceof MicroBatchExecution running) {
      running.withProgressLocked(
          () -> {
            additions.forEach(Runnable::run);
            return null;
          });
    } else {
      additions.forEach(Runnable::run);
    }
    awaitIdle();
  }

  void addAllAtOnce(Runnable additions) throws Throwable {
    boolean wasDown = down;
    stop();
    additions.run();
    if (!wasDown) {
      start();
    }
  }

  void start(Function<String, ? extends DataStreamWriter<?>> changed) throws Throwable {
    program = changed;
    start();
  }

  void start(Trigger other) throws Throwable {
    trigger = Optional.of(other);
    start();
  }

  void start() throws Throwable {
    readLog();
    String location = new org.apache.hadoop.fs.Path(checkpoint.toUri()).toString();
    query =
        TimeLimit.within(
            limit,
            "the query to start",
            () -> {
              DataStreamWriter<?> writer = program.apply(location);
              trigger.ifPresent(writer::trigger);
              return writer.option("checkpointLocation", location).start();
            });
    log = new QueryLog(query);
    down = false;
    awaitIdle();
  }

  void stop() throws Throwable {
    down = true;
    if (query != null) {
      TimeLimit.within(
          STOP_LIMIT,
          "the query to stop",
          () -> {
            query.stop();
            return query;
          });
      readLog(); // before anything happens to the checkpoint
    }
  }

  void copyCheckpoint(Path earlier) throws IOException {
    if (query != null) {
      throw new IllegalStateException(
          "The query has a checkpoint; begin the script with this step");
    }
    if (Files.notExists(earlier.resolve("metadata"))) {
      throw new IllegalArgumentException(earlier + " is no checkpoint of a query");
    }
    FileUtils.copyDirectory(earlier.toFile(), checkpoint.toFile());
  }

  void advance(TestClock clock, String interval) throws Throwable {
    startUnlessDown();
    if (query != null && !TestClock.of(query).equals(Optional.of(clock))) {
      throw new IllegalArgumentException("The query goes by the clock of another session");
    }
    clock.advance(interval);
    awaitIdle();
  }

  /** Takes back the last commit; the next start finds a micro-batch that was not committed. */
  void crash() throws Throwable {
    stop();
    long last = lastCommitted();
    if (last < 0) {
      throw new AssertionError("No micro-batch has run yet that could be replayed");
    }
    Files.delete(commits.resolve(Long.toString(last)));
    Files.deleteIfExists(commits.resolve("." + last + ".crc"));
    start();
  }

  /** Blocks the commit of the next micro-batch: the query dies when the sink has its rows. */
  void crash(List<Runnable> additions) throws Throwable {
    startUnlessDown();
    if (down) {
      throw new IllegalStateException("The query is down and cannot crash; start it first");
    }
    Path blocked = Files.createFile(commits.resolve(Long.toString(lastCommitted() + 1)));
    try {
      add(additions);
      throw new AssertionError("Nothing crashed: " + whyNothingRan());
    } catch (StreamingQueryException e) {
      if (!String.valueOf(e.getCause()).contains("CONCURRENT_STREAM_LOG_UPDATE")) {
        throw e;
      }
    } finally {
      Files.delete(blocked);
    }
    start();
  }

  String whyNothingRan() {
    String why = "there was no new data for the query";
    if (down || query == null) {
      why = "the query is down";
    } else if (TestClock.of(query).map(TestClock::isAwaited).orElse(false)) {
      why = "the query waits for its clock";
    }
    return "no micro-batch ran in this step: " + why;
  }

  Optional<StreamingQuery> query() {
    return Optional.ofNullable(query);
  }

  private StreamExecution execution() {
    return ((StreamingQueryWrapper) query).streamingQuery();
  }

  private void startUnlessDown() throws Throwable {
    if (query == null && !down) {
      start();
      readLog();
      // On a topic without records the first micro-batch has no rows.
      if (now.isPresent() && now.get().progress().stream().allMatch(p -> p.numInputRows() == 0)) {
        latest = now;
        now = Optional.empty();
      }
    }
  }

  private void awaitIdle() throws Throwable {
    if (down) {
      return;
    }
    Optional<TestClock> clock = TestClock.of(query);
    try {
      TimeLimit.within(
          limit,
          "the query to take in all data (with a processing-time timeout it never ends: start it with a trigger of a fixed interval, and a TestClock)",
          () -> clock.map(TestClock::isAwaited).orElse(false),
          () -> {
            if (endsByItself()) {
              query.awaitTermination();
            } else {
              query.processAllAvailable();
            }
            return query;
          });
    } catch (StreamingQueryException e) {
      down = true;
      throw e;
    }
    down = !query.isActive();
  }

  /** Of a query that ends meanwhile, {@code processAllAvailable} waits for ten seconds. */
  private boolean endsByItself() {
    Trigger actual = execution().trigger();
    return actual == AvailableNowTrigger$.MODULE$ || actual == OneTimeTrigger$.MODULE$;
  }

  private long lastCommitted() throws IOException {
    if (Files.notExists(commits)) {
      return -1;
    }
    try (Stream<Path> files = Files.list(commits)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> !name.startsWith("."))
          .mapToLong(Long::parseLong)
          .max()
          .orElse(-1);
    }
  }

  @Override
  public void close() {
    try {
      stop();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    } finally {
      FileUtils.deleteQuietly(checkpoint.toFile());
    }
  }
}
