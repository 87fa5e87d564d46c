package streamingdeepdive.app;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.config.Property;

/** Everything that is logged while this is open, at level INFO and above. */
public final class CapturedLog extends AbstractAppender implements AutoCloseable {
  private final LoggerContext context = (LoggerContext) LogManager.getContext(false);
  private final Map<LoggerConfig, Level> levels = new HashMap<>();
  private final List<String> messages = new CopyOnWriteArrayList<>();

  private CapturedLog() {
    super("captured", null, null, true, Property.EMPTY_ARRAY);
  }

  public static CapturedLog open() {
    CapturedLog log = new CapturedLog();
    log.start();
    for (LoggerConfig logger : log.context.getConfiguration().getLoggers().values()) {
      log.levels.put(logger, logger.getLevel());
      logger.setLevel(Level.INFO);
    }
    LoggerConfig root = log.context.getConfiguration().getRootLogger();
    root.getAppenders().values().forEach(appender -> root.removeAppender(appender.getName()));
    root.addAppender(log, Level.INFO, null);
    log.context.updateLoggers();
    return log;
  }

  @Override
  public void append(LogEvent event) {
    messages.add(event.getMessage().getFormattedMessage() + " " + event.getThrown());
  }

  public List<String> messages() {
    return messages;
  }

  @Override
  public void close() {
    levels.forEach(LoggerConfig::setLevel);
    context.reconfigure();
  }
}
