package streamingdeepdive.picture;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A picture of a few shapes and words. A chart library would place the words by the fonts of the
 * machine, and draw another picture on each; here the viewer has the font, and the places are ours.
 */
final class Svg {
  /** Colors for light and for dark surroundings; the background is the picture's own. */
  private static final String STYLE =
      """
      .back{fill:#ffffff}.text{fill:#1f2328}.quiet{fill:#59636e}.line{stroke:#d1d9e0}
      .band{fill:#ddf4ff}.band2{fill:#fff1c2}.shut{fill:#eceff2}
      .blue{fill:#0969da;stroke:#0969da}.orange{fill:#bc4c00;stroke:#bc4c00}
      .red{fill:none;stroke:#cf222e}.green{fill:none;stroke:#1a7f37}.greentext{fill:#1a7f37}
      .bluetext{fill:#0969da}.orangetext{fill:#bc4c00}.none{fill:none}
      @media (prefers-color-scheme:dark){
      .back{fill:#0d1117}.text{fill:#f0f6fc}.quiet{fill:#9198a1}.line{stroke:#3d444d}
      .band{fill:#12304f}.band2{fill:#3d3112}.shut{fill:#1c2128}
      .blue{fill:#4493f8;stroke:#4493f8}.orange{fill:#f0883e;stroke:#f0883e}
      .red{fill:none;stroke:#ff7b72}.green{fill:none;stroke:#3fb950}.greentext{fill:#3fb950}
      .bluetext{fill:#4493f8}.orangetext{fill:#f0883e}}
      """;

  private final List<String> shapes = new ArrayList<>();
  private final int width;
  private final int height;
  private final String title;

  Svg(int width, int height, String title) {
    this.width = width;
    this.height = height;
    this.title = title;
  }

  void rectangle(String style, double left, double top, double right, double bottom) {
    add(
        "<rect class=\"%s\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"/>",
        style, number(left), number(top), number(right - left), number(bottom - top));
  }

  void line(String style, double x1, double y1, double x2, double y2) {
    add(
        "<line class=\"%s\" x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\"/>",
        style, number(x1), number(y1), number(x2), number(y2));
  }

  /** A line through points, each an x and a y. */
  void path(String style, List<double[]> points) {
    StringBuilder path = new StringBuilder();
    for (double[] point : points) {
      path.append(path.isEmpty() ? "M" : " L");
      path.append(number(point[0])).append(' ').append(number(point[1]));
    }
    add("<path class=\"%s\" fill=\"none\" stroke-width=\"2.5\" d=\"%s\"/>", style, path);
  }

  void circle(String style, double x, double y) {
    add("<circle class=\"%s\" cx=\"%s\" cy=\"%s\" r=\"4\"/>", style, number(x), number(y));
  }

  void diamond(String style, double x, double y) {
    add(
        "<path class=\"%s\" stroke-width=\"2\" d=\"M%s %s l5.5 5.5 l-5.5 5.5 l-5.5 -5.5 z\"/>",
        style, number(x), number(y - 5.5));
  }

  void cross(String style, double x, double y) {
    add(
        "<path class=\"%s\" stroke-width=\"2.5\" d=\"M%s %s l9 9 m0 -9 l-9 9\"/>",
        style, number(x - 4.5), number(y - 4.5));
  }

  /** Words; the anchor is start, middle or end. */
  void text(String style, String anchor, int size, double x, double y, String words) {
    add(
        "<text class=\"%s\" text-anchor=\"%s\" font-size=\"%s\" x=\"%s\" y=\"%s\">%s</text>",
        style, anchor, size, number(x), number(y), escape(words));
  }

  /** Words that are read from below. */
  void upright(String style, int size, double x, double y, String words) {
    add(
        "<text class=\"%s\" text-anchor=\"middle\" font-size=\"%s\""
            + " transform=\"translate(%s %s) rotate(-90)\">%s</text>",
        style, size, number(x), number(y), escape(words));
  }

  private void add(String shape, Object... values) {
    shapes.add(shape.formatted(values));
  }

  private static String number(double value) {
    String text = String.format(Locale.ROOT, "%.1f", value);
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }

  private static String escape(String words) {
    return words.replace("&", "&amp;").replace("<", "&lt;");
  }

  @Override
  public String toString() {
    String open =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %s %s\" width=\"%s\" height=\"%s\""
            + " font-family=\"sans-serif\" role=\"img\">\n";
    return open.formatted(width, height, width, height)
        + "<title>"
        + escape(title)
        + "</title>\n<style>\n"
        + STYLE
        + "</style>\n"
        + "<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n"
        + String.join("\n", shapes)
        + "\n</svg>\n";
  }
}
