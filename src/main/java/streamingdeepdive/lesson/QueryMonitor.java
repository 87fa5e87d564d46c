package streamingdeepdive.lesson;

import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.text.ParsePosition;
import java.text.SimpleDateFormat;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.StateOperatorProgress;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/**
 * Tells of each micro-batch in one line, and warns once when a measure passes its limit, or when a
 * query dies. It calls a query by its name, or else by its id. {@link Monitoring} is the lesson.
 *
 * <p>A warning comes again only after the measure was within its limit, or after a restart. A
 * figure that a micro-batch does not have, such as a watermark before the first event, neither
 * warns nor counts as within the limit.
 *
 * <p>All listeners share a thread, on which lines and warnings are given out. What one throws is
 * only logged, and the others are told all the same. If one is slow, and {@code
 * spark.scheduler.listenerbus.eventqueue.capacity} events wait, later events are lost.
 *
 * @serial exclude
 */
@SuppressWarnings("serial") // a listener stays in the driver
public final class QueryMonitor extends StreamingQueryListener {
  /** Rows that the micro-batch read, of all sources. */
  public static final Measure ROWS = new Measure("rows", p -> p.numInputRows());

  /** Rows read, per second since the trigger before. The first trigger after a start has 0. */
  public static final Measure INPUT_RATE =
      new Measure("rows read per second", p -> p.inputRowsPerSecond());

  /** Rows read, per second that the micro-batch took. */
  public static final Measure PROCESSED_RATE =
      new Measure("rows processed per second", p -> p.processedRowsPerSecond());

  /** {@link #INPUT_RATE} in percent of {@link #PROCESSED_RATE}; for a trigger with an interval. */
  public static final Measure LOAD =
      new Measure("load", p -> 100 * p.inputRowsPerSecond() / p.processedRowsPerSecond());

  /** Seconds that the micro-batch took. A good limit is the interval of the trigger. */
  public static final Measure SECONDS =
      new Measure("seconds", p -> p.durationMs().get("triggerExecution") / 1000.0);

  /**
   * Seconds from the watermark of the micro-batch to its start; negative after an event from the
   * future, which no limit notices.
   */
  public static final Measure BEHIND_CLOCK =
      new Measure("seconds behind the clock", p -> secondsFromWatermark(p, p.timestamp()));

  /** Seconds from the watermark of the micro-batch to its newest event; 0 if all are older. */
  public static final Measure BEHIND_EVENTS =
      new Measure(
          "seconds behind the newest event",
          p -> Math.max(0, secondsFromWatermark(p, p.eventTime().get("max"))));

  /** Rows that the micro-batch dropped as late. */
  public static final Measure LATE_ROWS =
      new Measure(
          "rows dropped as late", p -> sum(p, StateOperatorProgress::numRowsDroppedByWatermark));

  /** Rows in the state stores after the micro-batch. */
  public static final Measure STATE_ROWS =
      new Measure("state rows", p -> sum(p, StateOperatorProgress::numRowsTotal));

  /**
   * Memory of the state stores after the micro-batch, as Spark estimates it. That needs the
   * packages that {@link streamingdeepdive.app.JavaRuntime} opens.
   */
  public static final Measure STATE_BYTES =
      new Measure("state bytes", p -> sum(p, StateOperatorProgress::memoryUsedBytes));

  /** Records of a Kafka topic that are still to be read, of the partition that has most. */
  public static final Measure BACKLOG = new Measure("backlog", QueryMonitor::backlog);

  /**
   * A figure of each micro-batch.
   *
   * @param name stands before the figure
   * @param figure NaN for a micro-batch that does not have it
   * @param limit the greatest figure without a warning
   */
  public record Measure(
      String name, ToDoubleFunction<StreamingQueryProgress> figure, double limit) {
    /**
     * A measure without a limit.
     *
     * @param name stands before the figure
     * @param figure NaN for a micro-batch that does not have it
     */
    public Measure(String name, ToDoubleFunction<StreamingQueryProgress> figure) {
      this(name, figure, Double.POSITIVE_INFINITY);
    }

    /**
     * {@return the same with a limit}
     *
     * @param greatest the greatest figure without a warning
     */
    public Measure upTo(double greatest) {
      return new Measure(name, figure, greatest);
    }
  }

  private record Run(String name, Set<Measure> passed) {}

  private final List<Measure> measures;
  private final Consumer<String> lines;
  private final Consumer<String> warnings;
  private final Map<UUID, Run> runs = new ConcurrentHashMap<>();

  /**
   * Creates a monitor for {@code spark.streams().addListener}.
   *
   * @param measures what stands in a line, in this order
   * @param lines takes a line for each micro-batch
   * @param warnings takes a line for each warning
   */
  public QueryMonitor(List<Measure> measures, Consumer<String> lines, Consumer<String> warnings) {
    this.measures = List.copyOf(measures);
    this.lines = lines;
    this.warnings = warnings;
  }

  /**
   * {@return the measure of a number that the query observes}
   *
   * @param name the name that {@code Dataset.observe} was given
   * @param column the column of the number; the micro-batch does not have it if it is null
   */
  public static Measure observed(String name, String column) {
    return new Measure(
        column,
        progress -> {
          Row row = progress.observedMetrics().get(name);
          Number value = row == null ? null : row.getAs(column);
          return value == null ? Double.NaN : value.doubleValue();
        });
  }

  @Override
  public void onQueryStarted(QueryStartedEvent event) {
    run(event.runId(), event.name(), event.id());
  }

  @Override
  public void onQueryProgress(QueryProgressEvent event) {
    StreamingQueryProgress progress = event.progress();
    Run run = run(progress.runId(), progress.name(), progress.id());
    String head = run.name + ", micro-batch " + progress.batchId() + ": ";
    List<String> figures = new ArrayList<>();
    List<String> passed = new ArrayList<>();
    for (Measure measure : measures) {
      double figure = measure.figure.applyAsDouble(progress);
      if (Double.isFinite(figure)) {
        String text = measure.name + " " + text(figure);
        figures.add(text);
        if (figure <= measure.limit) {
          run.passed.remove(measure);
        } else if (run.passed.add(measure)) {
          passed.add(text + ", limit " + text(measure.limit));
        }
      }
    }
    lines.accept(head + String.join(", ", figures));
    passed.forEach(text -> warnings.accept(head + text));
  }

  @Override
  public void onQueryTerminated(QueryTerminatedEvent event) {
    Run run = run(event.runId(), null, event.id());
    runs.remove(event.runId());
    if (event.exception().isDefined()) { // the stack trace
      warnings.accept(run.name + " has died: " + event.exception().get().lines().findFirst().get());
    }
  }

  /** A query may have been started before the monitor was added. */
  private Run run(UUID runId, String name, UUID id) {
    return runs.computeIfAbsent(
        runId, run -> new Run(Objects.toString(name, id.toString()), new HashSet<>()));
  }

  private static String text(double figure) {
    return new DecimalFormat("0.###", DecimalFormatSymbols.getInstance(Locale.ROOT)).format(figure);
  }

  /** The watermark is the epoch as long as no event time has been seen. */
  private static double secondsFromWatermark(StreamingQueryProgress progress, String time) {
    String watermark = progress.eventTime().get("watermark");
    return time == null || watermark == null || millis(watermark) == 0
        ? Double.NaN
        : (millis(time) - millis(watermark)) / 1000.0;
  }

  /** Spark writes a time in the digits and the calendar of the default locale. */
  private static long millis(String time) {
    SimpleDateFormat format = new SimpleDateFormat("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'");
    format.setTimeZone(TimeZone.getTimeZone("UTC"));
    return format.parse(time, new ParsePosition(0)).getTime();
  }

  private static long sum(
      StreamingQueryProgress progress, ToLongFunction<StateOperatorProgress> number) {
    return Arrays.stream(progress.stateOperators()).mapToLong(number).sum();
  }

  private static double backlog(StreamingQueryProgress progress) {
    return Arrays.stream(progress.sources())
        .map(source -> source.metrics().get("maxOffsetsBehindLatest"))
        .filter(Objects::nonNull)
        .mapToDouble(Double::parseDouble)
        .max()
        .orElse(Double.NaN);
  }
}
