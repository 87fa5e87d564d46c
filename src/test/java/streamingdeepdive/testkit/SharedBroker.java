package streamingdeepdive.testkit;

import org.apache.hadoop.util.ShutdownHookManager;
import streamingdeepdive.app.LocalBroker;

/**
 * The Kafka broker of all tests in a JVM: started by the first that needs it, ends with the JVM.
 */
final class SharedBroker {
  /** After Spark's own hook, which stops the queries that may still read from the broker. */
  private static final int AFTER_SPARK = 10;

  private static LocalBroker broker;

  private SharedBroker() {}

  static synchronized LocalBroker get() {
    if (broker == null) {
      broker = LocalBroker.start();
      ShutdownHookManager.get().addShutdownHook(broker::close, AFTER_SPARK);
    }
    return broker;
  }
}
