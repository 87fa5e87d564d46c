package streamingdeepdive.recovery;

import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.commons.lang3.StringUtils;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.plans.logical.CollectMetrics;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.streaming.OutputMode;
import scala.collection.JavaConverters;

/**
 * Holds a query to the checkpoint it was started on. Of the state Spark compares the types only:
 * another window, another aggregate of the same type, a step left out are taken without a word, and
 * new rows are computed with old state.
 *
 * <p>The signature is the query's plan, each operator with its expressions, without the numbers
 * that Spark gives to columns and without the place that a source reads. What functions of your own
 * do is not compared, and another version of Spark may word the same plan in another way. It is
 * kept in the checkpoint, as the file {@value #FILE}, so that it is moved and deleted with it.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#recovery-semantics-after-changes-in-a-streaming-query">
 *     Guide: Recovery Semantics after Changes in a Streaming Query</a>
 */
public final class QuerySignature {
  /** The signature's name in the checkpoint. */
  public static final String FILE = "query-signature";

  /** What differs from run to run: numbers of columns and variables, addresses, random seeds. */
  private static final Pattern RUN =
      Pattern.compile(
          "#\\d+L?|@[0-9a-f]+|(?<=Lambda)(\\$\\d+)?/0x[0-9a-f]+|(?<=lambda '?\\w{1,40})_\\d+"
              + "|(?<=rand\\(|randn\\(|Some\\()-?\\d+");

  /** How much of a line is shown before and after a difference. */
  private static final int CONTEXT = 40;

  private QuerySignature() {}

  /**
   * Stores the query's signature, if the checkpoint has none or no query has run on it; otherwise
   * requires that it is the stored one. Call it before the query starts.
   *
   * @param query the query as it is written out
   * @param mode the output mode
   * @param checkpoint the checkpoint location, on any Hadoop file system
   * @throws IllegalStateException if the query is another one; the message has the first line that
   *     differs, and what to do
   * @throws UncheckedIOException if the checkpoint cannot be read or written
   */
  public static void require(Dataset<Row> query, OutputMode mode, String checkpoint) {
    FileTree files = FileTree.at(query.sparkSession(), checkpoint);
    String now = of(query, mode);
    Optional<String> then = files.read(FILE);
    if (then.isEmpty() || files.lastBatchId("offsets") < 0) {
      files.write(FILE, now);
    } else if (!then.get().equals(now)) {
      throw new IllegalStateException(
          "The checkpoint location %s belongs to another query. %s Start this one on a new checkpoint with a new output; if you know that the change does not touch the state, delete %s and start again."
              .formatted(
                  files,
                  firstDifference(then.get().lines().toList(), now.lines().toList()),
                  files.path(FILE)));
    }
  }

  /** The plan from the result down to the sources, one operator a line. */
  static String of(Dataset<Row> query, OutputMode mode) {
    List<String> lines = new ArrayList<>();
    lines.add("output mode " + mode);
    addOperators(query.queryExecution().analyzed(), "", lines);
    return String.join("\n", lines) + "\n";
  }

  private static void addOperators(LogicalPlan plan, String indent, List<String> lines) {
    String operator = plan.simpleString(Integer.MAX_VALUE);
    if (plan.children().isEmpty()) {
      operator = "source of " + plan.output().mkString("[", ", ", "]");
    } else if (plan instanceof CollectMetrics observed) {
      operator = "CollectMetrics " + observed.metrics().mkString(observed.name() + " [", ", ", "]");
    }
    lines.add(indent + withoutRun(operator));
    JavaConverters.seqAsJavaList(plan.children())
        .forEach(child -> addOperators(child, indent + "  ", lines));
  }

  static String withoutRun(String operator) {
    return RUN.matcher(operator).replaceAll("");
  }

  /** Of the first line that differs the part that does; a line can be as long as a page. */
  private static String firstDifference(List<String> then, List<String> now) {
    int line = 0;
    while (line < Math.min(then.size(), now.size()) && then.get(line).equals(now.get(line))) {
      line++;
    }
    String had = line < then.size() ? then.get(line).strip() : "";
    String has = line < now.size() ? now.get(line).strip() : "";
    int start = StringUtils.indexOfDifference(had, has) - CONTEXT;
    return "It had '%s', this one has '%s'.".formatted(excerpt(had, start), excerpt(has, start));
  }

  private static String excerpt(String line, int start) {
    return StringUtils.abbreviate(line, "...", start, 2 * CONTEXT);
  }
}
