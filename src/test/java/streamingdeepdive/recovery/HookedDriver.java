package streamingdeepdive.recovery;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;

/**
 * Any JDBC driver with a hook before each statement, and before and after each commit. The hook can
 * fail, as a lost connection does, or never return. URLs stay as they are, since Spark tells the
 * database by them; the driver takes those only that come with its own property.
 */
public final class HookedDriver implements Driver {
  private static final String PROPERTY = "hooked";
  private static final AtomicInteger OPEN = new AtomicInteger();

  /**
   * Called with the SQL, in one line, behind the database's name; for a commit with {@code COMMIT}
   * before it and {@code COMMITTED} after it, and the statements of the connection.
   */
  @FunctionalInterface
  public interface Hook {
    void before(String event) throws SQLException;
  }

  private static volatile Hook hook = event -> {};

  static {
    try {
      DriverManager.registerDriver(new HookedDriver());
    } catch (SQLException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Sets the hook of all connections. */
  public static void setHook(Hook before) {
    hook = before;
  }

  /** Lets everything pass again. */
  public static void removeHook() {
    setHook(event -> {});
  }

  /** The same database, with the hook. */
  public static Map<String, String> hooked(Map<String, String> options) {
    Map<String, String> hooked = new HashMap<>(options);
    hooked.put(PROPERTY, "true");
    hooked.put("driver", HookedDriver.class.getName());
    return hooked;
  }

  /** How many connections have not been closed. */
  public static int openConnections() {
    return OPEN.get();
  }

  @Override
  public Connection connect(String url, Properties properties) throws SQLException {
    if (!properties.containsKey(PROPERTY)) {
      return null;
    }
    Properties others = new Properties();
    others.putAll(properties);
    others.remove(PROPERTY);
    Connection connection = DriverManager.getDriver(url).connect(url, others);
    String database = connection.getMetaData().getDatabaseProductName();
    OPEN.incrementAndGet();
    AtomicBoolean open = new AtomicBoolean(true);
    StringBuilder statements = new StringBuilder();
    return proxy(
        Connection.class,
        (method, args) -> {
          if (method.getName().equals("commit")) {
            hook.before(database + " COMMIT" + statements);
            connection.commit();
            hook.before(database + " COMMITTED" + statements);
            return null;
          }
          if (method.getName().equals("close") && open.getAndSet(false)) {
            OPEN.decrementAndGet();
          }
          Object result = method.invoke(connection, args);
          return result instanceof Statement statement
              ? hooked(statement, method.getReturnType(), database, args, statements)
              : result;
        });
  }

  private static Object hooked(
      Statement statement,
      Class<?> type,
      String database,
      Object[] prepared,
      StringBuilder statements) {
    AtomicInteger batch = new AtomicInteger();
    return proxy(
        type.asSubclass(Statement.class),
        (method, args) -> {
          if (method.getName().equals("addBatch")) {
            batch.incrementAndGet();
          } else if (method.getName().startsWith("execute")) {
            Object given =
                statement instanceof PreparedStatement && args == null ? prepared[0] : args[0];
            String sql = given.toString().strip().replaceAll("\\s+", " ");
            statements.append("; ").append(sql);
            int rows = batch.getAndSet(0);
            hook.before(database + " " + sql + (rows == 0 ? "" : " x " + rows));
          }
          return method.invoke(statement, args);
        });
  }

  @FunctionalInterface
  private interface Call {
    Object of(Method method, Object[] args) throws Exception;
  }

  private static <T> T proxy(Class<T> type, Call call) {
    return type.cast(
        Proxy.newProxyInstance(
            HookedDriver.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, args) -> {
              try {
                return call.of(method, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  @Override
  public boolean acceptsURL(String url) {
    return false;
  }

  @Override
  public DriverPropertyInfo[] getPropertyInfo(String url, Properties properties) {
    return new DriverPropertyInfo[0];
  }

  @Override
  public int getMajorVersion() {
    return 1;
  }

  @Override
  public int getMinorVersion() {
    return 0;
  }

  @Override
  public boolean jdbcCompliant() {
    return false;
  }

  @Override
  public Logger getParentLogger() {
    return Logger.getGlobal();
  }
}
