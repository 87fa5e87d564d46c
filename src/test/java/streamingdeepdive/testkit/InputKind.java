package streamingdeepdive.testkit;

/**
 * The kinds of streams, so that one test runs the same script on each of them:
 *
 * <pre>{@code
 * @ParameterizedTest
 * @EnumSource
 * void countsPerUser(InputKind kind, TestSession session) {
 *   StreamInput clicks = kind.open(session, "time TIMESTAMP, user STRING");
 *   ...
 * }
 * }</pre>
 */
public enum InputKind {
  /** Files, as {@link FileStream}. */
  FILES {
    @Override
    public StreamInput open(TestSession session, String columns) {
      return new FileStream(session, columns);
    }
  },

  /** Memory, as {@link InMemoryStream}. */
  MEMORY {
    @Override
    public StreamInput open(TestSession session, String columns) {
      return new InMemoryStream(session, columns);
    }
  },

  /** A Kafka topic, as {@link KafkaStream}. */
  KAFKA {
    @Override
    public StreamInput open(TestSession session, String columns) {
      return new KafkaStream(session, columns);
    }
  };

  /**
   * Creates an empty stream.
   *
   * @param session the session of the test
   * @param columns the columns as in SQL
   * @return the stream
   */
  public abstract StreamInput open(TestSession session, String columns);
}
