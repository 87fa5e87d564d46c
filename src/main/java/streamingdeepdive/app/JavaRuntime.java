package streamingdeepdive.app;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.security.AccessController;
import java.util.List;
import javax.security.auth.Subject;

/**
 * Opens the JDK to Spark 3.5 from within the process, which since JDK 17 needs flags otherwise. An
 * IDE's Run button gives none, and a session setting comes too late.
 *
 * @see <a href="https://spark.apache.org/docs/3.5.7/#downloading">Java versions of Spark 3.5</a>
 */
public final class JavaRuntime {
  /**
   * Without the first no session starts; without the second no DATE column can be collected;
   * without the third "Task not serializable" hides behind an IllegalAccessError.
   */
  private static final List<String> PACKAGES =
      List.of("sun.nio.ch", "sun.util.calendar", "sun.security.action");

  /** Without these Spark cannot see into its state stores and reports the same memory for any. */
  private static final List<String> OPEN_PACKAGES = List.of("java.util", "java.util.concurrent");

  private JavaRuntime() {}

  /**
   * Opens the JDK packages that Spark uses. Call it before the first Spark session is created;
   * calling it again does nothing more.
   *
   * @throws UnsupportedOperationException if Spark cannot run on this JDK; its message is one
   *     sentence that says what to do
   */
  public static void prepare() {
    requireSubjectLookup(JavaRuntime::lookUpSubject);
    try {
      call("implAddExportsToAllUnnamed", PACKAGES);
      call("implAddOpensToAllUnnamed", OPEN_PACKAGES);
    } catch (Throwable refused) {
      throw new UnsupportedOperationException(
          "This JVM cannot open its packages from within; start it with --add-exports and --add-opens for the packages that Spark's own launcher opens.");
    }
  }

  private static void call(String method, List<String> packages) throws Throwable {
    MethodHandle open =
        trustedLookup()
            .findVirtual(Module.class, method, MethodType.methodType(void.class, String.class));
    for (String name : packages) {
      open.invoke(Object.class.getModule(), name);
    }
  }

  /** Asks the JDK itself rather than its version: a flag can bring the lookup back on JDK 23. */
  static void requireSubjectLookup(Runnable lookup) {
    try {
      lookup.run();
    } catch (UnsupportedOperationException | LinkageError noLongerThere) {
      throw new UnsupportedOperationException(
          "Spark 3.5 cannot run on JDK %s, which no longer has Subject.getSubject; run this with JDK 17 or 21."
              .formatted(Runtime.version().feature()));
    }
  }

  /** What Hadoop does first in every Spark session. */
  @SuppressWarnings("removal")
  private static void lookUpSubject() {
    Subject.getSubject(AccessController.getContext());
  }

  /**
   * The lookup that may call every method of the JDK. It is read by reflection since a typed use of
   * {@code sun.misc.Unsafe} gives a compiler warning that cannot be turned off.
   */
  private static MethodHandles.Lookup trustedLookup() throws ReflectiveOperationException {
    Class<?> unsafeClass = Class.forName("sun.misc.Unsafe");
    Field theUnsafe = unsafeClass.getDeclaredField("theUnsafe");
    theUnsafe.setAccessible(true);
    Object unsafe = theUnsafe.get(null);
    Field lookup = MethodHandles.Lookup.class.getDeclaredField("IMPL_LOOKUP");
    Object base = unsafeClass.getMethod("staticFieldBase", Field.class).invoke(unsafe, lookup);
    Object offset = unsafeClass.getMethod("staticFieldOffset", Field.class).invoke(unsafe, lookup);
    return (MethodHandles.Lookup)
        unsafeClass.getMethod("getObject", Object.class, long.class).invoke(unsafe, base, offset);
  }
}
