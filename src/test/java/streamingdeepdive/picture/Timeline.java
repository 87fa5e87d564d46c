package streamingdeepdive.picture;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import streamingdeepdive.picture.SampleRun.Fate;
import streamingdeepdive.picture.SampleRun.File;
import streamingdeepdive.picture.SampleRun.Sale;
import streamingdeepdive.picture.SampleRun.Window;

/** The files in their order from left to right, event time from below, with a gap of an hour. */
final class Timeline {
  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);
  private static final double TOP = 96;
  private static final double GAP = 30;
  private static final double COLUMN = 98;
  private static final double MINUTE = 10;
  private static final double LANE = 22;

  private final SampleRun run;
  private final boolean overlap;
  private final double left;
  private final Instant bottomStart;
  private final Instant bottomEnd;
  private final Instant topStart;
  private final Instant topEnd;
  private final Svg svg;

  private Timeline(SampleRun run, boolean overlap, String title) {
    this.run = run;
    this.overlap = overlap;
    left = overlap ? 60 + 2 * LANE + 10 : 60;
    List<Window> windows = List.copyOf(run.windows());
    Instant newest = windows.get(windows.size() - 1).end();
    bottomStart = run.files().get(0).watermark().minus(Duration.ofMinutes(2));
    bottomEnd =
        windows.stream()
            .map(Window::end)
            .filter(end -> end.isBefore(newest.minus(Duration.ofMinutes(30))))
            .reduce((earlier, later) -> later)
            .orElseThrow();
    topStart = newest.minus(Duration.ofMinutes(overlap ? 22 : 17));
    topEnd = newest;
    svg = new Svg((int) (right() + 16), (int) (y(bottomStart) + 62), title);
  }

  /** Draws windows that do not overlap as bands. */
  static String ofBands(SampleRun run) {
    Timeline timeline =
        new Timeline(run, false, "Sales of the sample data, windows of five minutes, watermark");
    timeline.bands();
    timeline.rest(
        "counted",
        "behind the watermark, counted: its window is open",
        "",
        "dropped: its window is" + " closed");
    return timeline.svg.toString();
  }

  /** Draws windows that overlap as bars beside the axis. */
  static String ofBars(SampleRun run) {
    Timeline timeline =
        new Timeline(run, true, "Sales of the sample data, sliding windows of ten minutes");
    timeline.bars();
    timeline.rest(
        "counted in both windows",
        "behind the watermark, counted in both",
        "dropped from one, counted in the other",
        "dropped from both");
    return timeline.svg.toString();
  }

  private double right() {
    return x(run.files().size());
  }

  /** The left edge of a file's column. */
  private double x(int file) {
    return left + file * COLUMN;
  }

  private double y(Instant time) {
    double breakAt = TOP + minutes(topStart, topEnd) * MINUTE;
    return time.isBefore(topStart)
        ? breakAt + GAP + minutes(time, bottomEnd) * MINUTE
        : TOP + minutes(time, topEnd) * MINUTE;
  }

  private static double minutes(Instant from, Instant to) {
    return Duration.between(from, to).toMillis() / 60_000.0;
  }

  private void bands() {
    for (Window window : run.windows()) {
      double opened = x(run.opening(window));
      double closed = x(Math.min(run.closing(window) + 1, run.files().size()));
      svg.rectangle("band", opened, y(window.end()), closed, y(window.start()));
      if (closed < right()) {
        svg.rectangle("shut", closed, y(window.end()), right(), y(window.start()));
        svg.text("quiet", "end", 10, right() - 4, y(window.end()) + 12, "closed");
      }
    }
  }

  private void bars() {
    int number = 0;
    for (Window window : run.windows()) {
      int lane = number++ % 2;
      double from = 54 + lane * LANE;
      svg.rectangle(
          lane == 0 ? "band" : "band2",
          from,
          y(min(window.end())) + 1,
          from + LANE - 2,
          y(window.start()) - 1);
      svg.upright(
          "text",
          10,
          from + LANE / 2 + 2,
          (y(window.start()) + y(min(window.end()))) / 2,
          CLOCK.format(window.start()) + " – " + CLOCK.format(window.end()));
    }
  }

  private Instant min(Instant end) {
    return end.isBefore(topEnd) ? end : topEnd;
  }

  private void rest(String counted, String late, String partly, String dropped) {
    axes();
    watermark();
    for (int file = 0; file < run.files().size(); file++) {
      List<Sale> sales = run.files().get(file).sales();
      for (int i = 0; i < sales.size(); i++) {
        sale(sales.get(i), x(file) + COLUMN * (i + 0.55) / (sales.size() + 0.35) - 8, file);
      }
    }
    svg.text("text", "start", 13, 12, 22, "Event time, and the files in the order they arrive");
    legend(12, 44, Fate.COUNTED, counted);
    legend(12, 64, Fate.LATE_BUT_COUNTED, late);
    legend(400, 44, Fate.DROPPED, dropped);
    if (!partly.isEmpty()) {
      legend(400, 64, Fate.DROPPED_FROM_SOME, partly);
    }
    svg.path("green", List.of(new double[] {690, 40}, new double[] {712, 40}));
    svg.text("text", "start", 12, 718, 44, "watermark");
    if (!overlap) {
      svg.rectangle("band", 400, 54, 422, 68);
      svg.text("text", "start", 12, 428, 64, "window, from its first sale until it is closed");
    }
  }

  private void legend(double x, double y, Fate fate, String words) {
    point(fate, x + 6, y - 4);
    svg.text("text", "start", 12, x + 18, y, words);
  }

  private void axes() {
    for (Instant time = ceil(bottomStart); !time.isAfter(bottomEnd); time = next(time)) {
      tick(time);
    }
    for (Instant time = ceil(topStart); !time.isAfter(topEnd); time = next(time)) {
      tick(time);
    }
    double gap = y(bottomEnd) - GAP / 2;
    svg.text("greentext", "start", 11, 4, y(bottomStart) + 50, "watermark");
    for (int file = 0; file < run.files().size(); file++) {
      File each = run.files().get(file);
      svg.line("line", x(file), TOP, x(file), y(bottomStart));
      String name = each.name().replace(".json", "");
      int half = name.lastIndexOf('-', 15);
      boolean isLong = name.length() > 15;
      String first = isLong ? name.substring(0, half + 1) : name;
      double middle = x(file) + COLUMN / 2;
      svg.text("text", "middle", 11, middle, y(bottomStart) + 18, first);
      svg.text(
          "text",
          "middle",
          11,
          middle,
          y(bottomStart) + 32,
          isLong ? name.substring(half + 1) : "");
      svg.text(
          "greentext",
          "middle",
          11,
          middle,
          y(bottomStart) + 50,
          "then " + CLOCK.format(each.watermark()));
    }
    svg.line("line", right(), TOP, right(), y(bottomStart));
    svg.rectangle("back", left - 1, gap - GAP / 2 + 1, right() + 1, gap + GAP / 2 - 1);
    svg.text("quiet", "middle", 11, (left + right()) / 2, gap + 4, "an hour without sales");
  }

  private void tick(Instant time) {
    svg.line("line", left, y(time), right(), y(time));
    svg.text("text", "end", 11, 46, y(time) + 4, CLOCK.format(time));
  }

  private static Instant ceil(Instant time) {
    long step = Duration.ofMinutes(5).toMillis();
    return Instant.ofEpochMilli(-Math.floorDiv(-time.toEpochMilli(), step) * step);
  }

  private static Instant next(Instant time) {
    return time.plus(Duration.ofMinutes(5));
  }

  /** It moves after each file. */
  private void watermark() {
    List<double[]> points = new ArrayList<>();
    for (int file = 0; file < run.files().size(); file++) {
      double y = y(run.files().get(file).watermark());
      points.add(new double[] {x(file + 1), y});
      points.add(new double[] {Math.min(x(file + 2), right() + 8), y});
    }
    svg.path("green", points);
  }

  private void sale(Sale sale, double x, int file) {
    point(sale.fate(), x, y(sale.time()));
    boolean isOnTheLine =
        file > 0 && Math.abs(y(sale.time()) - y(run.files().get(file - 1).watermark())) < 3;
    svg.text(
        "text",
        "start",
        10,
        x + 7,
        y(sale.time()) + (isOnTheLine ? 14 : 3.5),
        sale.region() + " " + String.format(Locale.ROOT, "%.0f", sale.amount()));
  }

  private void point(Fate fate, double x, double y) {
    switch (fate) {
      case COUNTED -> svg.circle("blue", x, y);
      case LATE_BUT_COUNTED -> svg.diamond("orange", x, y);
      case DROPPED -> svg.cross("red", x, y);
      case DROPPED_FROM_SOME -> svg.diamond("red", x, y);
    }
  }
}
