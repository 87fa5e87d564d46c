package streamingdeepdive;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import streamingdeepdive.lesson.Deduplication;
import streamingdeepdive.lesson.FileSource;
import streamingdeepdive.lesson.OutputModes;
import streamingdeepdive.lesson.ParquetSink;
import streamingdeepdive.lesson.Triggers;
import streamingdeepdive.lesson.Watermark;
import streamingdeepdive.lesson.WindowedAggregation;

/** The mains that every reader meets; {@link OtherMachinesIT} has all others. */
class MainsTest {
  static final List<Class<?>> MAINS =
      List.of(
          FileSource.class,
          WindowedAggregation.class,
          Watermark.class,
          OutputModes.class,
          Deduplication.class,
          ParquetSink.class,
          Triggers.class);

  @ParameterizedTest
  @FieldSource("MAINS")
  void printsWhatItsDocumentationSays(Class<?> main) throws Exception {
    Mains.assertPrintsWhatItsDocumentationSays(main);
  }
}
