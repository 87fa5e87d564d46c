package streamingdeepdive.recovery;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.DatabaseMetaData;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which databases are written to; those that are, are in the tests of the sink. */
class JdbcDatabaseTest {
  @ParameterizedTest
  @CsvSource({"H2,2.2", "H2,2.10", "H2,3.0", "PostgreSQL,15.0"})
  void aVersionThatIsNewEnough(String product, String version) {
    assertThatCode(() -> JdbcDatabase.requireKnown(catalog(product, version)))
        .doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          H2         | 2.1   | The database is H2 2.1; 2.2 or later is needed.
          H2         | 1.4   | The database is H2 1.4; 2.2 or later is needed.
          PostgreSQL | 14.19 | The database is PostgreSQL 14.19; 15.0 or later is needed.
          MySQL      | 8.4   | The database is MySQL; only H2 and PostgreSQL are written to.
          """)
  void anotherDatabaseIsOneSentence(String product, String version, String sentence) {
    assertThatThrownBy(() -> JdbcDatabase.requireKnown(catalog(product, version)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(sentence);
  }

  private static DatabaseMetaData catalog(String product, String version) {
    String[] numbers = version.split("\\.");
    Map<String, Object> answers =
        Map.of(
            "getDatabaseProductName",
            product,
            "getDatabaseProductVersion",
            version,
            "getDatabaseMajorVersion",
            Integer.parseInt(numbers[0]),
            "getDatabaseMinorVersion",
            Integer.parseInt(numbers[1]));
    return (DatabaseMetaData)
        Proxy.newProxyInstance(
            JdbcDatabaseTest.class.getClassLoader(),
            new Class<?>[] {DatabaseMetaData.class},
            (proxy, method, args) -> answers.get(method.getName()));
  }
}
