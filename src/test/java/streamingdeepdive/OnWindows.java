package streamingdeepdive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.commons.lang3.SystemUtils;
import org.apache.hadoop.util.Shell;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.ParquetSink;
import streamingdeepdive.lesson.WindowedAggregation;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.TestSession;

/** {@link LoadedClasses} where Hadoop and Spark take the system for Windows. */
final class OnWindows {
  private OnWindows() {}

  /** Arguments: the mains. */
  public static void main(String[] args) throws Exception {
    takeTheSystemForWindows();
    LoadedClasses.main(args);
    directoriesCanHaveDrivesAndBackslashes();
  }

  /** They ask once, in the initializers of these classes; Java itself goes on as it is. */
  private static void takeTheSystemForWindows() {
    String name = System.getProperty("os.name");
    System.setProperty("os.name", "Windows 11");
    assertThat(Shell.WINDOWS).isTrue();
    assertThat(org.apache.hadoop.fs.Path.WINDOWS).isTrue();
    assertThat(SystemUtils.IS_OS_WINDOWS).isTrue();
    System.setProperty("os.name", name);
  }

  private static void directoriesCanHaveDrivesAndBackslashes() {
    try (TestSession session = TestSession.open()) {
      Dataset<Row> totals =
          WindowedAggregation.buildQuery(new InMemoryStream(session, FileSource.SCHEMA).toDF());
      String output = "C:\\sales\\totals of the day";
      ParquetSink.buildQuery(totals, output, "C:\\sales\\checkpoint");
      ParquetSink.buildUpdateQuery(totals, output, "D:\\sales\\totals of the day\\checkpoint");
      assertThatThrownBy(
              () -> ParquetSink.buildQuery(totals, output, "C:/sales/totals of the day/checkpoint"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("inside");
    }
  }
}
