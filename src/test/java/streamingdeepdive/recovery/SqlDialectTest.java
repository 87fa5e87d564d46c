package streamingdeepdive.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which databases are written to; those that are, are in the tests of the sink. */
class SqlDialectTest {
  @ParameterizedTest
  @CsvSource({"H2,2.2,H2", "H2,2.10,H2", "H2,3.0,H2", "PostgreSQL,15.0,POSTGRESQL"})
  void aVersionThatIsNewEnough(String product, String version, SqlDialect dialect)
      throws SQLException {
    assertThat(SqlDialect.of(connection(product, version))).isEqualTo(dialect);
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
    assertThatThrownBy(() -> SqlDialect.of(connection(product, version)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(sentence);
  }

  private static Connection connection(String product, String version) {
    String[] numbers = version.split("\\.");
    DatabaseMetaData database =
        answering(
            DatabaseMetaData.class,
            question ->
                switch (question) {
                  case "getDatabaseProductName" -> product;
                  case "getDatabaseProductVersion" -> version;
                  case "getDatabaseMajorVersion" -> Integer.parseInt(numbers[0]);
                  case "getDatabaseMinorVersion" -> Integer.parseInt(numbers[1]);
                  default -> throw new AssertionError(question);
                });
    return answering(Connection.class, question -> database);
  }

  private static <T> T answering(Class<T> type, Function<String, Object> answer) {
    return type.cast(
        Proxy.newProxyInstance(
            SqlDialectTest.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, args) -> answer.apply(method.getName())));
  }
}
