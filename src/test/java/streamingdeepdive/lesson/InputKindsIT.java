package streamingdeepdive.lesson;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import streamingdeepdive.testkit.InputKind;
import streamingdeepdive.testkit.StreamingExtension;
import streamingdeepdive.testkit.TestSession;

/** What the lessons' tests show on a stream in memory, on the other kinds. */
@ExtendWith(StreamingExtension.class)
class InputKindsIT {
  @ParameterizedTest
  @EnumSource(names = "MEMORY", mode = Mode.EXCLUDE)
  void slidingWindows(InputKind kind, TestSession session) {
    new SlidingWindowsTest()
        .aSaleIsInExactlyTwoWindowsUntilTheyClose(kind.open(session, FileSource.SCHEMA));
  }

  @ParameterizedTest
  @EnumSource(names = "MEMORY", mode = Mode.EXCLUDE)
  void watermark(InputKind kind, TestSession session) {
    new WatermarkTest().aRowCountsUntilItsWindowIsClosed(kind.open(session, FileSource.SCHEMA));
  }

  @ParameterizedTest
  @EnumSource(names = "MEMORY", mode = Mode.EXCLUDE)
  void appendMode(InputKind kind, TestSession session) {
    new OutputModesTest()
        .appendOutputsATotalOnceWhenItIsFinal(kind.open(session, FileSource.SCHEMA));
  }

  @ParameterizedTest
  @EnumSource(names = "MEMORY", mode = Mode.EXCLUDE)
  void updateMode(InputKind kind, TestSession session) {
    new OutputModesTest()
        .updateOutputsATotalWheneverARowWasAddedToIt(kind.open(session, FileSource.SCHEMA));
  }

  @ParameterizedTest
  @EnumSource(names = "MEMORY", mode = Mode.EXCLUDE)
  void completeMode(InputKind kind, TestSession session) {
    new OutputModesTest()
        .completeOutputsEverythingAndIgnoresTheWatermark(kind.open(session, FileSource.SCHEMA));
  }

  @ParameterizedTest
  @EnumSource(names = "MEMORY", mode = Mode.EXCLUDE)
  void deduplication(InputKind kind, TestSession session) {
    new DeduplicationTest().anExactRedeliveryIsDropped(kind.open(session, FileSource.SCHEMA));
  }

  @ParameterizedTest
  @EnumSource(names = "MEMORY", mode = Mode.EXCLUDE)
  void arbitraryState(InputKind kind, TestSession session) {
    new ArbitraryStateTest()
        .anAlertComesOnceWhenTheWatermarkIsLaterThanTheQuietPeriod(
            kind.open(session, FileSource.SCHEMA));
  }

  @ParameterizedTest
  @EnumSource(names = "MEMORY", mode = Mode.EXCLUDE)
  void sessionWindows(InputKind kind, TestSession session) {
    new SessionWindowsTest().aLateSaleMakesOneSessionOfTwo(kind.open(session, FileSource.SCHEMA));
  }

  @ParameterizedTest
  @EnumSource(names = "MEMORY", mode = Mode.EXCLUDE)
  void chainedOperators(InputKind kind, TestSession session) {
    new ChainedOperatorsTest()
        .theHourComesOutWithItsLastFiveMinutes(kind.open(session, FileSource.SCHEMA));
  }
}
