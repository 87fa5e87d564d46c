package streamingdeepdive.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ArgumentsTest {
  private static final List<String> NAMES = List.of("input", "checkpoint");
  private static final String USAGE =
      "Usage: Totals [--input ... --checkpoint ...]; without options it replays the sample data.";

  private static Arguments parse(String args) {
    return Arguments.parse("Totals", NAMES, args.isEmpty() ? new String[0] : args.split(" "));
  }

  @ParameterizedTest
  @ValueSource(strings = {"--input a=b --checkpoint c", "--checkpoint=c --input=a=b"})
  void aValueFollowsItsNameOrAnEqualsSign(String args) {
    assertThat(parse(args).values()).isEqualTo(Map.of("input", "a=b", "checkpoint", "c"));
    assertThat(parse(args).isReplay()).isFalse();
  }

  @Test
  void withoutOptionsTheSampleDataIsReplayed() {
    assertThat(parse("").isReplay()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --inptu=x              | Unknown: --inptu=x.
          --inptu x              | Unknown: --inptu.
          x                      | Unknown: x.
          --input=a --output=b   | Unknown: --output=b.
          --input                | No value for --input.
          --input a              | Missing: --checkpoint.
          """)
  void whatCannotBeCarriedOutIsASentenceAndTheUsage(String args, String sentence) {
    assertThatThrownBy(() -> parse(args))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(sentence + " " + USAGE);
  }

  @Test
  void aTrapTakesNoOptions() {
    assertThatThrownBy(() -> Arguments.parse("Trap", List.of(), "--input=x"))
        .hasMessage("Unknown: --input=x. Trap takes no options; it replays the sample data.");
  }
}
