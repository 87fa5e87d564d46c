package streamingdeepdive.lesson;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Map;
import org.apache.commons.lang3.StringUtils;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.spark.sql.SparkSession;

/**
 * Which files belong to a directory: those in it, and those in partitions of it, directories with
 * names such as {@code region=eu}. Their modification times do not matter.
 *
 * <p>Spark alone would make a column of {@code region=eu}, with the name's value in place of the
 * file's own, and fail where a directory has both files and partitions. With the option {@code
 * recursiveFileLookup} it does neither, but then it reads every nested directory, an archive or a
 * checkpoint too.
 */
public final class DirectoryFiles implements PathFilter, Configurable, Serializable {
  private static final long serialVersionUID = 1;
  private static final String DEPTH =
      DirectoryFiles.class.getName().toLowerCase(Locale.ROOT) + ".depth";

  static {
    // Spark hands options to Hadoop in lower case.
    String filter = FileInputFormat.PATHFILTER_CLASS;
    Configuration.addDeprecation(filter.toLowerCase(Locale.ROOT), filter);
  }

  /** Of the directory; what is listed deeper is nested. */
  private int depth;

  /** Hadoop creates it, by the name of the class. */
  public DirectoryFiles() {}

  /**
   * {@return options for a reader of files, stream or batch}
   *
   * @param spark the session
   * @param directory the directory or pattern of directories that is to be read
   * @throws IllegalArgumentException if there is no such directory and it is no pattern
   * @throws UncheckedIOException if its file system cannot be reached
   */
  public static Map<String, String> options(SparkSession spark, String directory) {
    Path path = new Path(directory);
    try {
      FileSystem files = path.getFileSystem(spark.sessionState().newHadoopConf());
      path = files.makeQualified(path);
      String withoutEscapes = directory.replaceAll("\\\\.", "");
      if (directory.contains("\\")
          && !StringUtils.containsAny(withoutEscapes, "[]{}*?\\")
          && files.globStatus(path) == null) {
        throw new IllegalArgumentException(
            "The directory " + directory.replaceAll("\\\\(.)", "$1") + " does not exist.");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Map.of(
        "maxFileAge",
        "365000d",
        "recursiveFileLookup",
        "true",
        FileInputFormat.PATHFILTER_CLASS,
        DirectoryFiles.class.getName(),
        DEPTH,
        Integer.toString(path.depth()));
  }

  @Override
  public boolean accept(Path file) {
    Path nested = file.getParent();
    while (nested.depth() > depth && nested.getName().contains("=")) {
      nested = nested.getParent();
    }
    return nested.depth() <= depth;
  }

  @Override
  public void setConf(Configuration conf) {
    depth = conf.getInt(DEPTH, 0);
  }

  @Override
  public Configuration getConf() {
    return null;
  }
}
