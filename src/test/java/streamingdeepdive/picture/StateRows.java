package streamingdeepdive.picture;

import java.util.ArrayList;
import java.util.List;

/** State rows after each file, of a query without a watermark and of one with it. */
final class StateRows {
  private static final double LEFT = 50;
  private static final double BOTTOM = 260;

  private StateRows() {}

  static String draw(List<Long> without, List<Long> with) {
    Svg svg = new Svg(760, 296, "State rows with and without a watermark");
    svg.text("text", "start", 13, 12, 22, "State rows after each file, four new windows per file");
    for (int rows = 0; rows <= 40; rows += 10) {
      svg.line("line", LEFT, y(rows), x(9) + 12, y(rows));
      svg.text("text", "end", 11, LEFT - 8, y(rows) + 4, String.valueOf(rows));
    }
    for (int file = 0; file < without.size(); file++) {
      svg.text("text", "middle", 11, x(file), BOTTOM + 20, "%02d.json".formatted(file + 1));
    }
    line(svg, "orange", "orangetext", without, "without a watermark: ");
    line(svg, "blue", "bluetext", with, "with a watermark: ");
    return svg.toString();
  }

  private static void line(Svg svg, String style, String words, List<Long> rows, String label) {
    List<double[]> points = new ArrayList<>();
    for (int file = 0; file < rows.size(); file++) {
      points.add(new double[] {x(file), y(rows.get(file))});
    }
    svg.path(style + " none", points);
    points.forEach(point -> svg.circle(style, point[0], point[1]));
    int last = rows.size() - 1;
    double y = y(rows.get(last));
    svg.text(words, "start", 12, x(last) + 14, y + 4, label + rows.get(last));
  }

  private static double x(int file) {
    return LEFT + 24 + file * 54;
  }

  private static double y(long rows) {
    return BOTTOM - rows * 5.5;
  }
}
