package streamingdeepdive.testkit;

import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;

/**
 * Rows and times in a test's words. A time such as {@code "12:03"} is that of {@link #DAY} in UTC;
 * a longer one such as {@code "2026-01-02T00:03"} names its own day.
 */
public final class Rows {
  /** The day of every time that names none: 1 January 2026. */
  public static final LocalDate DAY = LocalDate.of(2026, 1, 1);

  private Rows() {}

  /**
   * Makes a row.
   *
   * @param values the values in the order of the columns, as Java types that Spark knows
   * @return the row
   */
  public static Row row(Object... values) {
    return RowFactory.create(values);
  }

  /**
   * Makes a value for a TIMESTAMP column.
   *
   * @param time such as {@code "12:03"}, {@code "12:03:59.5"} or {@code "2026-01-02T00:03"}
   * @return the time in UTC
   */
  public static Timestamp at(String time) {
    return Timestamp.from(instant(time));
  }

  /**
   * Makes a value for a window column.
   *
   * @param start the window's start, as in {@link #at}
   * @param end the window's end
   * @return the window
   */
  public static Row window(String start, String end) {
    return row(at(start), at(end));
  }

  static Instant instant(String time) {
    LocalDateTime dateTime =
        time.contains("T") ? LocalDateTime.parse(time) : DAY.atTime(LocalTime.parse(time));
    return dateTime.toInstant(ZoneOffset.UTC);
  }
}
