package streamingdeepdive.app;

import java.util.Map;

/**
 * Runs the main of a lesson: reads its command line, opens a session and a place for its input, and
 * ends the process with an exit code.
 *
 * <p>Without {@code --input} the sample data is replayed: a file lands, the query takes it in, the
 * step is printed, the next file lands; after the last one the run ends. With it the query follows
 * a directory until the process is stopped. A main on Kafka does the same with a topic.
 */
public final class StreamingApp {
  /** What differs from main to main. */
  @FunctionalInterface
  public interface Body {
    /**
     * Builds the query and has it printed.
     *
     * @param app the session, the input and the printing
     * @throws Exception whatever ends the run early; the user sees the root cause's message
     */
    void run(AppRun app) throws Exception;
  }

  /** What differs from main to main on Kafka. */
  @FunctionalInterface
  public interface TopicBody {
    /**
     * Builds the query and has it printed.
     *
     * @param app the session and the printing
     * @param topic the input or, if the main writes to a topic, the output
     * @throws Exception whatever ends the run early; the user sees the root cause's message
     */
    void run(AppRun app, Topic topic) throws Exception;
  }

  /** What differs from main to main on a socket. */
  @FunctionalInterface
  public interface SocketBody {
    /**
     * Builds the query and has it printed.
     *
     * @param app the session and the printing
     * @param host the host of the server to read from
     * @param port its port
     * @throws Exception whatever ends the run early; the user sees the root cause's message
     */
    void run(AppRun app, String host, int port) throws Exception;
  }

  /** What differs from main to main on a database. */
  @FunctionalInterface
  public interface DatabaseBody {
    /**
     * Builds the query and has it printed.
     *
     * @param app the session, the input and the printing
     * @param database the output
     * @throws Exception whatever ends the run early; the user sees the root cause's message
     */
    void run(AppRun app, Database database) throws Exception;
  }

  private StreamingApp() {}

  /**
   * Runs a main. Returns when it ended well; otherwise prints one sentence on stderr and exits the
   * JVM: with 2 if the command line cannot be carried out, with 1 if the run failed.
   *
   * @param main the class that the user started
   * @param purpose one sentence for {@code --help}
   * @param args the command line
   * @param body the lesson's part
   */
  public static void run(Class<?> main, String purpose, String[] args, Body body) {
    run(main, purpose, args, new DirectoryOptions(), body);
  }

  /**
   * Runs a main whose query has a sink of its own; its command line has {@code --output} too.
   *
   * @param main the class that the user started
   * @param purpose one sentence for {@code --help}
   * @param args the command line
   * @param body the lesson's part
   */
  public static void runWithOutput(Class<?> main, String purpose, String[] args, Body body) {
    runWithOutput(main, purpose, args, Map.of(), body);
  }

  /**
   * Runs a main as {@link #runWithOutput(Class, String, String[], Body)} does, in a session with
   * some more settings.
   *
   * @param main the class that the user started
   * @param purpose one sentence for {@code --help}
   * @param args the command line
   * @param settings Spark's settings that the session must be created with
   * @param body the lesson's part
   */
  public static void runWithOutput(
      Class<?> main, String purpose, String[] args, Map<String, String> settings, Body body) {
    run(main, purpose, args, new FilesToDirectoryOptions(settings), body);
  }

  /**
   * Runs a main that has its say about the sample data alone; its command line has no directories.
   *
   * @param main the class that the user started
   * @param purpose one sentence for {@code --help}
   * @param args the command line
   * @param body the lesson's part
   */
  public static void runOnSampleData(Class<?> main, String purpose, String[] args, Body body) {
    run(main, purpose, args, new SampleDataOptions(), body);
  }

  /**
   * Runs a main on a topic: the user's, or one of a broker that lives as long as the run. Returns
   * or exits as {@link #run} does.
   *
   * @param main the class that the user started
   * @param purpose one sentence for {@code --help}
   * @param args the command line
   * @param body the lesson's part
   */
  public static void runOnTopic(Class<?> main, String purpose, String[] args, TopicBody body) {
    TopicOptions topic = new TopicOptions();
    run(main, purpose, args, topic, app -> app.onTopic(topic, body));
  }

  /**
   * Runs a main that reads files and writes to a topic: the user's, or one of a broker that lives
   * as long as the run. Returns or exits as {@link #run} does.
   *
   * @param main the class that the user started
   * @param purpose one sentence for {@code --help}
   * @param args the command line
   * @param body the lesson's part
   */
  public static void runToTopic(Class<?> main, String purpose, String[] args, TopicBody body) {
    FilesToTopicOptions options = new FilesToTopicOptions();
    run(main, purpose, args, options, app -> app.toTopic(options, body));
  }

  /**
   * Runs a main that reads files and writes to a database: the user's, or one in a file that goes
   * with the run. Returns or exits as {@link #run} does.
   *
   * @param main the class that the user started
   * @param purpose one sentence for {@code --help}
   * @param args the command line
   * @param body the lesson's part
   */
  public static void runToDatabase(
      Class<?> main, String purpose, String[] args, DatabaseBody body) {
    FilesToDatabaseOptions options = new FilesToDatabaseOptions();
    run(main, purpose, args, options, app -> app.toDatabase(options, body));
  }

  /**
   * Runs a main on a server: the user's, or one in this process that sends the sample data. Returns
   * or exits as {@link #run} does.
   *
   * @param main the class that the user started
   * @param purpose one sentence for {@code --help}
   * @param args the command line
   * @param body the lesson's part
   */
  public static void runOnSocket(Class<?> main, String purpose, String[] args, SocketBody body) {
    SocketOptions server = new SocketOptions();
    run(main, purpose, args, server, app -> app.onSocket(server, body));
  }

  private static void run(
      Class<?> main, String purpose, String[] args, InputOptions input, Body body) {
    int exitCode = CommandLineRun.execute(main, purpose, args, input, body);
    if (exitCode != 0) {
      System.exit(exitCode);
    }
  }
}
