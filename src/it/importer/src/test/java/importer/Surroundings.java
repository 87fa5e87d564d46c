package importer;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TimeZone;
import java.util.stream.Collectors;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.spark.sql.SparkSession;
import scala.collection.JavaConverters;

/** What a library must leave as it is. */
record Surroundings(
    Map<String, String> settings,
    Map<String, String> contextSettings,
    Properties systemProperties,
    Configuration logging,
    Map<String, Level> levels,
    Locale locale,
    TimeZone zone,
    ClassLoader classLoader) {

  static Surroundings of(SparkSession spark) {
    Configuration logging = LoggerContext.getContext(false).getConfiguration();
    return new Surroundings(
        Map.copyOf(JavaConverters.mapAsJavaMap(spark.conf().getAll())),
        Arrays.stream(spark.sparkContext().getConf().getAll())
            .collect(Collectors.toMap(setting -> setting._1(), setting -> setting._2())),
        (Properties) System.getProperties().clone(),
        logging,
        logging.getLoggers().entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, logger -> logger.getValue().getLevel())),
        Locale.getDefault(),
        TimeZone.getDefault(),
        Thread.currentThread().getContextClassLoader());
  }
}
