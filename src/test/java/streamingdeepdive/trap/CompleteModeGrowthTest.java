package streamingdeepdive.trap;

import static org.assertj.core.api.Assertions.assertThat;
import static streamingdeepdive.lesson.Sales.sale;
import static streamingdeepdive.testkit.Rows.row;
import static streamingdeepdive.testkit.StreamScript.add;
import static streamingdeepdive.testkit.StreamScript.testStream;

import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import streamingdeepdive.MainOutput;
import streamingdeepdive.app.RowCollector;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.testkit.Columns;
import streamingdeepdive.testkit.InMemoryStream;
import streamingdeepdive.testkit.Step;
import streamingdeepdive.testkit.StreamingExtension;

@ExtendWith(StreamingExtension.class)
@Columns(FileSource.SCHEMA)
class CompleteModeGrowthTest {
  /** Runs a script that sees the rows that are output in each step. */
  private static void script(DataStreamWriter<Row> writer, InMemoryStream sales, Step... steps) {
    RowCollector rows = new RowCollector();
    Dataset<Row> columns = FileSource.buildQuery(sales.toDF());
    testStream(
        writer.foreachBatch(rows::collect),
        () ->
            columns
                .sparkSession()
                .createDataFrame(
                    rows.take(Long.MAX_VALUE - 1).values().stream().flatMap(List::stream).toList(),
                    columns.schema()),
        steps);
  }

  @Test
  void completeModeOutputsEveryKeyEachTime(InMemoryStream sales) {
    script(
        CompleteModeGrowth.everything(sales.toDF()),
        sales,
        add(sales, sale("12:00", "a", 1.0), sale("12:00", "b", 1.0))
            .rows(row("a", 1L, 1.0), row("b", 1L, 1.0))
            .state(2),
        add(sales, sale("12:00", "c", 1.0))
            .rows(row("a", 1L, 1.0), row("b", 1L, 1.0), row("c", 1L, 1.0))
            .state(3));
  }

  /** As the main has printed them. */
  @Test
  void overTenFilesThatIs220RowsAgainst40() throws IOException {
    String output = MainOutput.whole(CompleteModeGrowth.class);

    assertThat(rowsPutOut(output, "complete")).isEqualTo(220);
    assertThat(rowsPutOut(output, "update")).isEqualTo(40);
  }

  private static int rowsPutOut(String output, String query) {
    return Pattern.compile("^-- " + query + "\n.* rows put out (\\d+)$", Pattern.MULTILINE)
        .matcher(output)
        .results()
        .mapToInt(step -> Integer.parseInt(step.group(1)))
        .sum();
  }

  @Test
  void updateModeOutputsTheKeysThatHaveChanged(InMemoryStream sales) {
    script(
        CompleteModeGrowth.changes(sales.toDF()),
        sales,
        add(sales, sale("12:00", "a", 1.0), sale("12:00", "b", 1.0))
            .rows(row("a", 1L, 1.0), row("b", 1L, 1.0))
            .state(2),
        add(sales, sale("12:00", "c", 1.0), sale("12:00", "a", 2.0))
            .rows(row("a", 2L, 3.0), row("c", 1L, 1.0))
            .state(3));
  }
}
