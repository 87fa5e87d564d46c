package streamingdeepdive.lesson;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One line of a file or value of a topic: a sale, or the reason why it is rejected.
 *
 * <p>Spark's own JSON reader does not tell: it takes 5 for a region and an epoch for a time, it
 * skips fields that it does not know and whatever follows the first object of a line.
 *
 * @param eventTime in whole microseconds, as Spark keeps it; like the next two null if there is a
 *     reason
 * @param reason null if the line is a sale
 */
record SaleLine(Instant eventTime, String region, Double amount, String reason) {
  private static final List<String> FIELDS = List.of("event_time", "region", "amount");

  /**
   * On a stream an older event is late from the start, see {@link Watermark}; a batch counts it.
   */
  private static final int FIRST_YEAR = 1970;

  /** Spark prints later times in a form of their own. */
  private static final int LAST_YEAR = 9999;

  /** As Spark's own reader takes it: with seconds, which ISO 8601 allows to leave out. */
  private static final DateTimeFormatter TIME =
      new DateTimeFormatterBuilder()
          .append(DateTimeFormatter.ISO_LOCAL_DATE)
          .appendPattern("'T'HH:mm:ss")
          .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
          .appendOffsetId()
          .toFormatter(Locale.ROOT)
          .withResolverStyle(ResolverStyle.STRICT);

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
          .build();

  /** Null is the value of a tombstone. */
  static SaleLine parse(String line) {
    if (line == null) {
      return rejected("no value");
    }
    if (line.isBlank()) {
      return rejected("blank");
    }
    try {
      return of(JSON.readTree(line));
    } catch (JsonEOFException e) {
      return rejected("half a line");
    } catch (MismatchedInputException e) {
      return rejected("more than one JSON value");
    } catch (JsonProcessingException e) {
      boolean duplicate = e.getOriginalMessage().startsWith("Duplicate field");
      return rejected(duplicate ? "a field twice" : "not JSON");
    }
  }

  private static SaleLine of(JsonNode json) {
    if (!json.isObject()) {
      return rejected("not a JSON object");
    }
    List<String> unknown = new ArrayList<>();
    json.fieldNames().forEachRemaining(unknown::add);
    unknown.removeAll(FIELDS);
    if (!unknown.isEmpty()) {
      return rejected("unknown field " + unknown.get(0));
    }
    for (String field : FIELDS) {
      if (json.path(field).isMissingNode()) {
        return rejected("no " + field);
      }
      if (json.get(field).isNull()) {
        return rejected(field + " is null");
      }
    }
    return of(json.get("event_time"), json.get("region"), json.get("amount"));
  }

  private static SaleLine of(JsonNode eventTime, JsonNode region, JsonNode amount) {
    if (!eventTime.isTextual()) {
      return rejected("event_time is not text");
    }
    if (!region.isTextual()) {
      return rejected("region is not text");
    }
    if (region.textValue().indexOf(0) >= 0) {
      return rejected("region has the character U+0000"); // PostgreSQL takes no such text.
    }
    if (!amount.isNumber()) {
      return rejected("amount is not a number");
    }
    if (!Double.isFinite(amount.doubleValue())) {
      return rejected("amount is not finite");
    }
    try {
      Instant time = OffsetDateTime.parse(eventTime.textValue(), TIME).toInstant();
      int year = time.atOffset(ZoneOffset.UTC).getYear();
      if (year < FIRST_YEAR || year > LAST_YEAR) {
        return rejected("event_time is not in the years " + FIRST_YEAR + " to " + LAST_YEAR);
      }
      Instant micros = time.truncatedTo(ChronoUnit.MICROS);
      return new SaleLine(micros, region.textValue(), amount.doubleValue(), null);
    } catch (DateTimeException e) {
      return rejected("event_time is not a date and time with a zone");
    }
  }

  private static SaleLine rejected(String reason) {
    return new SaleLine(null, null, null, reason);
  }
}
