package streamingdeepdive.lesson;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What {@link ArbitraryState} keeps of a region. A bean: each pair of getter and setter is a column
 * of the state, in the order of the alphabet.
 */
public final class RegionState {
  private int alerts;
  private List<Run> runs = List.of();

  /** No alert, no sale. */
  public RegionState() {}

  /** {@return how many alerts the region had} */
  public int getAlerts() {
    return alerts;
  }

  /**
   * For the encoder.
   *
   * @param alerts how many alerts the region had
   */
  public void setAlerts(int alerts) {
    this.alerts = alerts;
  }

  /** {@return the sales since the last alert, by time} */
  public List<Run> getRuns() {
    return runs;
  }

  /**
   * For the encoder.
   *
   * @param runs the sales since the last alert, by time
   */
  public void setRuns(List<Run> runs) {
    this.runs = runs;
  }

  /** Rows come in no order: a sale can make one run of two. Times are milliseconds. */
  void add(long time, double amount, long quietPeriod) {
    Run joined = new Run();
    joined.first = time;
    joined.last = time;
    joined.total = amount;
    List<Run> all = new ArrayList<>(List.of(joined));
    for (Run run : runs) {
      if (run.first <= time + quietPeriod && time <= run.last + quietPeriod) {
        joined.first = Math.min(joined.first, run.first);
        joined.last = Math.max(joined.last, run.last);
        joined.total += run.total;
      } else {
        all.add(run);
      }
    }
    all.sort(Comparator.comparingLong(Run::getFirst));
    runs = all;
  }

  /** Sales with no quiet period between them. */
  public static final class Run {
    private long first;
    private long last;
    private double total;

    /** For the encoder, which then calls the setters. */
    public Run() {}

    /** {@return the time of the first sale, in milliseconds since 1970} */
    public long getFirst() {
      return first;
    }

    /**
     * For the encoder.
     *
     * @param first the time of the first sale, in milliseconds since 1970
     */
    public void setFirst(long first) {
      this.first = first;
    }

    /** {@return the time of the last sale, in milliseconds since 1970} */
    public long getLast() {
      return last;
    }

    /**
     * For the encoder.
     *
     * @param last the time of the last sale, in milliseconds since 1970
     */
    public void setLast(long last) {
      this.last = last;
    }

    /** {@return the sum of the amounts} */
    public double getTotal() {
      return total;
    }

    /**
     * For the encoder.
     *
     * @param total the sum of the amounts
     */
    public void setTotal(double total) {
      this.total = total;
    }
  }
}
