package streamingdeepdive.testkit;

import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Gives tests their Spark session and their streams as parameters, and cleans up after each test:
 * queries that are still running stop, temporary directories go.
 *
 * <pre>{@code
 * @ExtendWith(StreamingExtension.class)
 * @Columns("event_time TIMESTAMP, region STRING, amount DOUBLE")
 * class TotalsTest {
 *   @Test
 *   void sumsPerRegion(FileStream sales) { ... }
 * }
 * }</pre>
 *
 * <p>Parameters can be a {@link TestSession}, its {@link SparkSession}, a {@link FileStream}, an
 * {@link InMemoryStream} and a {@link KafkaStream}; a {@link StreamInput} is an {@link
 * InMemoryStream}. The streams have the columns that {@link Columns} names. A {@link TestClock}
 * comes before what starts a query.
 */
public final class StreamingExtension
    implements ParameterResolver, AfterEachCallback, AfterAllCallback {
  /** Creates the extension; JUnit does. */
  public StreamingExtension() {}

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
    Class<?> type = parameter.getParameter().getType();
    return type == TestSession.class
        || type == SparkSession.class
        || type == FileStream.class
        || type == InMemoryStream.class
        || type == StreamInput.class
        || type == TestClock.class
        || type == KafkaStream.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
    Class<?> type = parameter.getParameter().getType();
    TestSession session =
        store(test)
            .getOrComputeIfAbsent(TestSession.class, key -> TestSession.open(), TestSession.class);
    if (type == TestSession.class) {
      return session;
    }
    if (type == SparkSession.class) {
      return session.spark();
    }
    if (type == TestClock.class) {
      return store(test)
          .getOrComputeIfAbsent(TestClock.class, key -> new TestClock(session), TestClock.class);
    }
    String columns = columns(parameter, test);
    if (type == KafkaStream.class) {
      return new KafkaStream(session, columns);
    }
    return type == FileStream.class
        ? new FileStream(session, columns)
        : new InMemoryStream(session, columns);
  }

  private static String columns(ParameterContext parameter, ExtensionContext test) {
    return parameter
        .findAnnotation(Columns.class)
        .or(
            () ->
                AnnotationSupport.findAnnotation(
                    test.getRequiredTestClass(), Columns.class, test.getEnclosingTestClasses()))
        .map(Columns::value)
        .orElseThrow(
            () ->
                new ParameterResolutionException(
                    "Name the columns of " + parameter.getParameter() + " with @Columns"));
  }

  @Override
  public void afterEach(ExtensionContext test) {
    close(test);
  }

  @Override
  public void afterAll(ExtensionContext testClass) {
    close(testClass);
  }

  /** What a test has is its own: a store looks into that of its class, too. */
  private static Store store(ExtensionContext context) {
    return context.getStore(Namespace.create(StreamingExtension.class, context.getUniqueId()));
  }

  /** What a constructor gets is the test's own, too. */
  @Override
  public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext root) {
    return ExtensionContextScope.TEST_METHOD;
  }

  private static void close(ExtensionContext context) {
    store(context).remove(TestClock.class);
    TestSession session = store(context).remove(TestSession.class, TestSession.class);
    if (session != null) {
      session.close();
    }
  }
}
