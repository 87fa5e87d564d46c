package streamingdeepdive.testkit;

import java.sql.Date;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;

/**
 * Rows and times in a test's words. A time such as {@code "12:03"} is that of {@link #DAY} in UTC;
 * a longer one such as {@code "2026-01-02 00:03"} names its own day.
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
    return RowFactory.create(values == null ? new Object[] {null} : values);
  }

  /**
   * Makes rows of one column.
   *
   * @param values the value of each row
   * @return the rows
   */
  public static Row[] values(Object... values) {
    return Stream.of(values).map(value -> RowFactory.create(value)).toArray(Row[]::new);
  }

  /**
   * Makes a value for a TIMESTAMP column.
   *
   * @param time such as {@code "12:03"}, {@code "12:03:59.5"}, {@code "2026-01-02 00:03"} or {@code
   *     "2026-01-02"}
   * @return the time in UTC
   */
  public static Timestamp at(String time) {
    // Timestamp.from(...) would be another time to Spark before the calendar reform.
    return DateTimeUtils.toJavaTimestamp(DateTimeUtils.instantToMicros(instant(time)));
  }

  /**
   * Makes a value for a DATE column.
   *
   * @param day such as {@code "2026-01-02"}
   * @return the day
   */
  public static Date date(String day) {
    return DateTimeUtils.toJavaDate(DateTimeUtils.localDateToDays(LocalDate.parse(day)));
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
    LocalDateTime dateTime;
    if (!time.contains("-")) {
      dateTime = DAY.atTime(LocalTime.parse(time));
    } else if (time.contains(":")) {
      dateTime = LocalDateTime.parse(time.replace(' ', 'T'));
    } else {
      dateTime = LocalDate.parse(time).atStartOfDay();
    }
    return dateTime.toInstant(ZoneOffset.UTC);
  }
}
