package streamingdeepdive.bench;

import static streamingdeepdive.testkit.Rows.row;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StreamingQuery;
import streamingdeepdive.lesson.ArbitraryState;
import streamingdeepdive.lesson.ChainedOperators;
import streamingdeepdive.lesson.Deduplication;
import streamingdeepdive.lesson.DeltaSink;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.JdbcSink;
import streamingdeepdive.lesson.Joins;
import streamingdeepdive.lesson.ParquetSink;
import streamingdeepdive.lesson.SessionWindows;
import streamingdeepdive.lesson.StateStores;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.testkit.FileStream;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.KafkaStream;
import streamingdeepdive.testkit.StreamInput;
import streamingdeepdive.testkit.TestSession;

/**
 * What grows with the number of micro-batches. Each file or record has one sale, five minutes after
 * the one before, so it closes a window; the query then runs a micro-batch for the data and mostly
 * one without. Prints the same figures early in the run and at its end.
 */
final class Growth {
  /** The first files are slow since the JVM is new. */
  private static final int EARLY = 250;

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private interface Writer {
    DataStreamWriter<Row> write(Dataset<Row> sales, String output, String checkpoint);
  }

  private static final Writer TOTALS = noop(WindowedAggregation::buildQuery, OutputMode.Update());

  private static final Map<String, String> DATABASE =
      Map.of("url", "jdbc:h2:mem:growth;DB_CLOSE_DELAY=-1");

  /** A query of a lesson, and how its output is read, if it has one. */
  private enum Subject {
    TOTALS_FROM_MEMORY(TOTALS),
    TOTALS_FROM_FILES(TOTALS),
    TOTALS_FROM_KAFKA(TOTALS),
    TOTALS_ON_ROCKSDB(TOTALS),
    DEDUPLICATION(noop(Deduplication::buildQuery, OutputMode.Append())),
    JOINS(
        noop(
            sales -> Joins.withRefunds(sales, sales.withColumnRenamed("event_time", "refund_time")),
            OutputMode.Append())),
    SESSION_WINDOWS(noop(SessionWindows::buildQuery, OutputMode.Append())),
    CHAINED_OPERATORS(noop(ChainedOperators::buildQuery, OutputMode.Append())),
    ARBITRARY_STATE(noop(ArbitraryState::buildQuery, OutputMode.Append())),
    PARQUET_FINAL(
        (sales, output, checkpoint) ->
            ParquetSink.buildQuery(WindowedAggregation.buildQuery(sales), output, checkpoint),
        ParquetSink::read),
    PARQUET_LATEST(
        (sales, output, checkpoint) ->
            ParquetSink.buildUpdateQuery(WindowedAggregation.buildQuery(sales), output, checkpoint),
        ParquetSink::latest),
    JDBC(
        (sales, output, checkpoint) ->
            JdbcSink.buildQuery(
                WindowedAggregation.buildQuery(sales), DATABASE, "totals", checkpoint),
        (spark, output) -> JdbcSink.read(spark, DATABASE, "totals")),
    DELTA_FINAL(
        (sales, output, checkpoint) ->
            DeltaSink.buildQuery(WindowedAggregation.buildQuery(sales), output, checkpoint),
        DeltaSink::read),
    DELTA_LATEST(
        (sales, output, checkpoint) ->
            DeltaSink.buildUpdateQuery(WindowedAggregation.buildQuery(sales), output, checkpoint),
        DeltaSink::read);

    private final Writer writer;
    private final BiFunction<SparkSession, String, Dataset<Row>> reader;

    Subject(Writer writer) {
      this(writer, (spark, output) -> spark.emptyDataFrame());
    }

    Subject(Writer writer, BiFunction<SparkSession, String, Dataset<Row>> reader) {
      this.writer = writer;
      this.reader = reader;
    }

    StreamInput input(TestSession session) {
      return switch (this) {
        case TOTALS_FROM_FILES -> new FileStream(session, FileSource.SCHEMA);
        case TOTALS_FROM_KAFKA -> new KafkaStream(session, FileSource.SCHEMA);
        default -> new InMemoryStream(session, FileSource.SCHEMA);
      };
    }
  }

  private static Writer noop(UnaryOperator<Dataset<Row>> query, OutputMode mode) {
    return (sales, output, checkpoint) ->
        query
            .apply(sales)
            .writeStream()
            .outputMode(mode)
            .format("noop")
            .option("checkpointLocation", checkpoint);
  }

  private final Subject subject;
  private final TestSession session;
  private final StreamInput input;
  private final Path output;
  private final Path checkpoint;

  private Growth(Subject subject, TestSession session) {
    this.subject = subject;
    this.session = session;
    this.input = subject.input(session);
    this.output = session.newDirectory().resolve("output");
    this.checkpoint = session.newDirectory().resolve("checkpoint");
    // The kit keeps more, which would be growth of its own.
    session.spark().conf().set("spark.sql.streaming.numRecentProgressUpdates", "100");
    if (subject == Subject.TOTALS_ON_ROCKSDB) {
      session.spark().conf().set(StateStores.PROVIDER_CLASS, StateStores.ROCKSDB);
    }
  }

  /** Arguments: the number of files or records, then the subjects, none for all. */
  public static void main(String[] args) throws Exception {
    DeltaSink.SETTINGS.forEach(System::setProperty);
    int files = Integer.parseInt(args[0]);
    List<Subject> subjects =
        args.length == 1
            ? List.of(Subject.values())
            : Stream.of(args).skip(1).map(Subject::valueOf).toList();
    System.out.println(
        "subject             micro-batches  time   start  checkpoint        output            heap"
            + "    read");
    for (Subject subject : subjects) {
      try (TestSession session = TestSession.open()) {
        new Growth(subject, session).run(files);
      }
    }
  }

  private void run(int files) throws Exception {
    StreamingQuery query = start();
    for (int file = 0; file < files; file++) {
      input.addData(List.of(row(START.plus(Duration.ofMinutes(5L * file)), "eu", 1.0)));
      query.processAllAvailable();
      if (file + 1 == EARLY || file + 1 == files) {
        query = print(query);
      }
    }
    query.stop();
  }

  private StreamingQuery start() throws Exception {
    StreamingQuery query =
        subject.writer.write(input.toDF(), output.toString(), checkpoint.toString()).start();
    query.processAllAvailable();
    return query;
  }

  /** Restarts the query, too. */
  private StreamingQuery print(StreamingQuery running) throws Exception {
    long[] millis =
        Arrays.stream(running.recentProgress())
            .filter(progress -> progress.numInputRows() > 0)
            .mapToLong(progress -> progress.durationMs().get("triggerExecution"))
            .sorted()
            .toArray();
    System.gc();
    double heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1e6;
    long microBatches = running.lastProgress().batchId() + 1;
    running.stop();
    long beforeStart = System.nanoTime();
    StreamingQuery restarted = start();
    double start = (System.nanoTime() - beforeStart) / 1e9;
    long beforeRead = System.nanoTime();
    subject.reader.apply(session.spark(), output.toString()).count();
    double read = (System.nanoTime() - beforeRead) / 1e9;
    System.out.printf(
        Locale.ROOT,
        "%-18s %6d  %4d ms  %4.1f s  %-16s  %-16s  %4.0f MB  %4.1f s%n",
        subject,
        microBatches,
        millis[millis.length / 2],
        start,
        size(checkpoint),
        size(output),
        heap,
        read);
    return restarted;
  }

  private static String size(Path directory) throws IOException {
    if (Files.notExists(directory)) {
      return "-";
    }
    try (Stream<Path> files = Files.walk(directory)) {
      long[] sizes =
          files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).toArray();
      return String.format(
          Locale.ROOT, "%d (%.1f MB)", sizes.length, Arrays.stream(sizes).sum() / 1e6);
    }
  }
}
