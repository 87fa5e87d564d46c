package streamingdeepdive.recovery;

import static org.apache.spark.sql.functions.lit;

import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.commons.lang3.StringUtils;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionWithRandomSeed;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedLambdaVariable;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.plans.logical.CTERelationDef;
import org.apache.spark.sql.catalyst.plans.logical.CollectMetrics;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Sample;
import org.apache.spark.sql.catalyst.plans.logical.View;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.types.StringType;
import scala.Function;
import scala.Option;
import scala.collection.JavaConverters;
import scala.collection.Seq;

/**
 * Holds a query to the checkpoint it was started on. Of the state Spark compares the types only:
 * another window, another aggregate of the same type, a step left out are taken without a word, and
 * new rows are computed with old state.
 *
 * <p>The signature is the query's plan, each operator with its expressions, without the numbers
 * that Spark gives to columns, without random seeds, and without the place that a source reads.
 * What functions of your own do is not compared, and another version of Spark may word the same
 * plan in another way. It is kept in the checkpoint, as the file {@value #FILE}, so that it is
 * moved and deleted with it.
 *
 * @see <a
 *     href="https://spark.apache.org/docs/3.5.7/structured-streaming-programming-guide.html#recovery-semantics-after-changes-in-a-streaming-query">
 *     Guide: Recovery Semantics after Changes in a Streaming Query</a>
 */
public final class QuerySignature {
  /** The signature's name in the checkpoint. */
  public static final String FILE = "query-signature";

  /** Around each character of names and text: what looks there like {@link #RUN} is left alone. */
  private static final String MARK = "\uFFFF";

  /** What differs from run to run: numbers of columns, names of lambdas, addresses of objects. */
  private static final Pattern RUN =
      Pattern.compile(
          MARK
              + "(#\\d+L?)?|(?<=Lambda)([$]\\d+)?/0x[0-9a-f]+"
              + "|(?<=\\w[.][\\w$./]{1,200})@[0-9a-f]+");

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
              .formatted(files, firstDifference(then.get(), now), files.path(FILE)));
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
    LogicalPlan same = plan.transformExpressions(Function.unlift(QuerySignature::marked));
    String operator = same.simpleString(Integer.MAX_VALUE);
    if (same.children().isEmpty()) {
      operator = "source of " + same.output().mkString("[", ", ", "]");
    } else if (same instanceof CollectMetrics seen) {
      operator = "CollectMetrics " + seen.metrics().mkString(seen.name() + " [", ", ", "]");
    } else if (same instanceof Sample some) {
      operator = "Sample " + some.fraction() + ", " + some.withReplacement();
    } else if (same instanceof CTERelationDef || same instanceof View) {
      operator = same.nodeName();
    }
    lines.add(indent + withoutRun(operator));
    for (Seq<LogicalPlan> below : List.of(plan.subqueries(), plan.children())) {
      JavaConverters.seqAsJavaList(below).forEach(p -> addOperators(p, indent + "  ", lines));
    }
  }

  private static Option<Expression> marked(Expression given) {
    Expression same = null;
    if (given instanceof Attribute column) {
      same = column.withName(mark(column.name()));
    } else if (given instanceof Alias column) {
      same = (Expression) column.withName(mark(column.name()));
    } else if (given instanceof NamedLambdaVariable x) {
      String name = mark(x.name().replaceFirst("_\\d+$", ""));
      same = x.copy(name, x.dataType(), x.nullable(), x.exprId(), x.value());
    } else if (given instanceof Literal text && text.dataType() instanceof StringType) {
      same = lit(mark(text.sql())).expr();
    } else if (given instanceof ExpressionWithRandomSeed random) {
      same = random.withNewSeed(0);
    } else if (given instanceof PlanExpression<?> subquery) {
      same = subquery.canonicalized();
    }
    return Option.apply(same);
  }

  private static String mark(String text) {
    return text.replace("", MARK);
  }

  static String withoutRun(String operator) {
    return RUN.matcher(operator).replaceAll("");
  }

  /** Of the first line that differs the part that does; a line can be as long as a page. */
  private static String firstDifference(String then, String now) {
    int line = then.lastIndexOf('\n', StringUtils.indexOfDifference(then, now) - 1) + 1;
    String had = then.substring(line).lines().findFirst().orElse("").strip();
    String has = now.substring(line).lines().findFirst().orElse("").strip();
    int start = StringUtils.indexOfDifference(had, has) - 40;
    return "It had '%s', this one has '%s'."
        .formatted(
            StringUtils.abbreviate(had, "...", start, 80),
            StringUtils.abbreviate(has, "...", start, 80));
  }
}
