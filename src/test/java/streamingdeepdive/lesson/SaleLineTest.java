package streamingdeepdive.lesson;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SaleLineTest {
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

  private static String line(String eventTime, String amount) {
    return "{\"event_time\":\"%s\",\"region\":\"eu\",\"amount\":%s}".formatted(eventTime, amount);
  }

  @ParameterizedTest
  @CsvSource({
    "2026-01-01T12:00:00Z,             0",
    "2026-01-01T13:00:00+01:00,        0",
    "2026-01-01T12:00:00.5Z,           500000",
    "2026-01-01T12:00:00.000001999Z,   1",
    "2026-01-01T11:59:59.999999Z,      -1"
  })
  void takesADateAndTimeWithAZone(String eventTime, long microsAfterNoon) {
    assertThat(SaleLine.parse(line(eventTime, "1.5")))
        .isEqualTo(new SaleLine(NOON.plus(microsAfterNoon, ChronoUnit.MICROS), "eu", 1.5, null));
  }

  @ParameterizedTest
  @ValueSource(strings = {"1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"})
  void takesTheYears1970To9999(String eventTime) {
    assertThat(SaleLine.parse(line(eventTime, "1")).reason()).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1970-01-01T00:00:00+00:01",
        "1950-06-01T12:00:00Z",
        "9999-12-31T23:59:59-00:01",
        "-2026-01-01T12:00:00Z"
      })
  void takesNoOtherYear(String eventTime) {
    assertThat(SaleLine.parse(line(eventTime, "1")).reason())
        .isEqualTo("event_time is not in the years 1970 to 9999");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "2026-01-01",
        "12:00:00Z",
        "2026-01-01T12:00:00",
        "2026-01-01T12:00Z",
        "2026-13-01T12:00:00Z",
        "2026-02-30T12:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01 12:00:00Z",
        "01/01/2026 12:00",
        "1767268800000",
        "yesterday"
      })
  void takesNoOtherForm(String eventTime) {
    assertThat(SaleLine.parse(line(eventTime, "1")).reason())
        .isEqualTo("event_time is not a date and time with a zone");
  }

  @ParameterizedTest
  @CsvSource({"4, 4.0", "-0.5, -0.5", "1e3, 1000.0"})
  void takesEveryFiniteNumber(String amount, double value) {
    assertThat(SaleLine.parse(line("2026-01-01T12:00:00Z", amount)).amount()).isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          1e400     | amount is not finite
          -1e400    | amount is not finite
          NaN       | amount is not finite
          -Infinity | amount is not finite
          "NaN"     | amount is not a number
          "1.0"     | amount is not a number
          true      | amount is not a number
          [1.0]     | amount is not a number
          null      | amount is null
          01        | not JSON
          1.0,      | not JSON
          """)
  void takesNothingElseForAnAmount(String amount, String reason) {
    assertThat(SaleLine.parse(line("2026-01-01T12:00:00Z", amount)))
        .isEqualTo(new SaleLine(null, null, null, reason));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          ` `                                   | blank
          event_time,region,amount              | not JSON
          {"event_time":"2026-01-01T12:0        | half a line
          {                                     | half a line
          []                                    | not a JSON object
          "2026-01-01T12:00:00Z"                | not a JSON object
          null                                  | not a JSON object
          {} {}                                 | more than one JSON value
          {"region":"eu","region":"us"}         | a field twice
          {}                                    | no event_time
          {"event_time":null}                   | event_time is null
          {"event_time":1767268800000}          | no region
          {"Region":"eu"}                       | unknown field Region
          {"event_time":1,"region":2,"amount":3} | event_time is not text
          {"event_time":"","region":2,"amount":3} | region is not text
          {"event_time":"","region":"a\\u0000","amount":3} | region has the character U+0000
          """)
  void namesWhatIsWrong(String line, String reason) {
    assertThat(SaleLine.parse(line)).isEqualTo(new SaleLine(null, null, null, reason));
  }

  @Test
  void rejectsATombstone() {
    assertThat(SaleLine.parse(null)).isEqualTo(new SaleLine(null, null, null, "no value"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\\t", "\u00e9\u4e2d", "a long one; a long one; a long one"})
  void takesEveryOtherRegion(String region) {
    String line = "{\"event_time\":\"%s\",\"region\":\"%s\",\"amount\":1}".formatted(NOON, region);
    assertThat(SaleLine.parse(line))
        .isEqualTo(new SaleLine(NOON, region.translateEscapes(), 1.0, null));
  }

  /** Jackson sets limits to what it reads; they must not reach the query. */
  @Test
  void isNotFrightenedByDepthOrLength() {
    assertThat(SaleLine.parse("[".repeat(100_000)).reason()).isEqualTo("not JSON");
    assertThat(SaleLine.parse(line("2026-01-01T12:00:00Z", "1".repeat(100_000))).reason())
        .isEqualTo("not JSON");
  }
}
