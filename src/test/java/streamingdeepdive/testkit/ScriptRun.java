package streamingdeepdive.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileUtil;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryException;
import streamingdeepdive.app.QueryLog;

/** One run of a script: the query, its checkpoint, and what has been seen of them. */
final class ScriptRun implements AutoCloseable {
  private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

  private final Function<String, DataStreamWriter<Row>> program;
  private final RowView view;
  private final Path checkpoint = TestSession.createDirectory();
  private final Path commits = checkpoint.resolve("commits");
  private StreamingQuery query;
  private QueryLog log;
  private Optional<QueryLog.Entry> latest = Optional.empty();
  private boolean down;
  private Duration limit;

  ScriptRun(Function<String, DataStreamWriter<Row>> program, RowView view) {
    this.program = program;
    this.view = view;
  }

  /** Runs a step and looks at what came of it. */
  Outcome run(Step step) throws Throwable {
    limit = step.limit();
    step.action().run(this);
    Optional<QueryLog.Entry> now = log == null ? Optional.empty() : log.take();
    latest = now.or(() -> latest);
    return new Outcome(view.after(now), now, latest);
  }

  void add(Runnable addition) throws Throwable {
    startUnlessDown();
    addition.run();
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

  void start() throws Throwable {
    String location = new org.apache.hadoop.fs.Path(checkpoint.toUri()).toString();
    query =
        TimeLimit.within(
            limit,
            "the query to start",
            () -> program.apply(location).option("checkpointLocation", location).start());
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
    }
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
  void crash(Runnable addition) throws Throwable {
    startUnlessDown();
    Path blocked = Files.createFile(commits.resolve(Long.toString(lastCommitted() + 1)));
    try {
      add(addition);
      throw new AssertionError("No micro-batch ran that could crash");
    } catch (StreamingQueryException e) {
      if (!String.valueOf(e.getCause()).contains("CONCURRENT_STREAM_LOG_UPDATE")) {
        throw e;
      }
    }
    Files.delete(blocked);
    start();
  }

  Optional<StreamingQuery> query() {
    return Optional.ofNullable(query);
  }

  private void startUnlessDown() throws Throwable {
    if (query == null && !down) {
      start();
    }
  }

  private void awaitIdle() throws Throwable {
    if (down) {
      return;
    }
    try {
      TimeLimit.within(
          limit,
          "the query to take in all data",
          () -> {
            query.processAllAvailable();
            return query;
          });
    } catch (StreamingQueryException e) {
      down = true;
      throw e;
    }
    if (!query.isActive()) {
      throw new AssertionError("The query has ended, without a failure");
    }
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
      FileUtil.fullyDelete(checkpoint.toFile());
    }
  }
}
