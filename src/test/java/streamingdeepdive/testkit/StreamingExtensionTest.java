package streamingdeepdive.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.testkit.engine.EventConditions.event;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;

import java.net.URI;
import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

class StreamingExtensionTest {
  private static StreamingQuery query;
  private static FileStream stream;

  @ExtendWith(StreamingExtension.class)
  @Columns("name STRING")
  static class LeavesAQueryRunning {
    @Test
    void test(SparkSession spark, FileStream names, InMemoryStream others) throws Exception {
      assertThat(names.toDF().sparkSession()).isSameAs(spark).isSameAs(SparkSession.active());
      assertThat(others.toDF().sparkSession()).isSameAs(spark);
      stream = names;
      query = names.toDF().writeStream().format("noop").start();
    }
  }

  @ExtendWith(StreamingExtension.class)
  static class NamesNoColumns {
    @Test
    void test(FileStream names) {}
  }

  private static Events run(Class<?> testClass) {
    return EngineTestKit.engine("junit-jupiter")
        .selectors(selectClass(testClass))
        .execute()
        .testEvents();
  }

  @Test
  void stopsTheQueriesAndDeletesTheDirectoriesOfATest() {
    run(LeavesAQueryRunning.class).assertStatistics(tests -> tests.succeeded(1));

    assertThat(query.isActive()).isFalse();
    assertThat(Path.of(URI.create(stream.directory()))).doesNotExist();
    assertThat(SparkSession.getActiveSession().isDefined()).isFalse();
  }

  @Test
  void saysThatAStreamNeedsColumns() {
    run(NamesNoColumns.class)
        .assertThatEvents()
        .haveExactly(
            1,
            event(
                finishedWithFailure(
                    message(
                        text ->
                            text.contains("Name the columns of")
                                && text.endsWith("with @Columns")))));
  }
}
