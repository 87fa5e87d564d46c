package streamingdeepdive.lesson;

import static streamingdeepdive.testkit.Rows.at;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.Rows.window;

import org.apache.spark.sql.Row;

/** Rows of the lessons: sales go in, totals come out. */
final class Sales {
  private Sales() {}

  static Row sale(String time, String region, Double amount) {
    return row(at(time), region, amount);
  }

  static Row total(String start, String end, String region, Double totalAmount) {
    return row(window(start, end), region, totalAmount);
  }
}
