package streamingdeepdive.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The columns of the streams that {@link StreamingExtension} injects: of one parameter, or of all
 * parameters in a class, in those that extend it and in its {@code @Nested} ones.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.PARAMETER, ElementType.TYPE})
public @interface Columns {
  /**
   * The columns as in SQL.
   *
   * @return such as {@code "event_time TIMESTAMP, amount DOUBLE"}
   */
  String value();
}
