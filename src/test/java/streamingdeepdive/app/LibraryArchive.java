package streamingdeepdive.app;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.commons.io.FileUtils;
import streamingdeepdive.lesson.WindowedAggregation;

/**
 * The classes of the libraries as the JVM maps them (class data sharing), so that a child JVM does
 * not parse and verify some ten thousand of them anew. It is made once, and again when the JVM or a
 * jar has changed.
 */
final class LibraryArchive {
  private static final long LIMIT_SECONDS = 300;

  private LibraryArchive() {}

  /**
   * The flags for a JVM whose class path begins with these jars; a directory cannot be archived.
   *
   * @param classes our own classes; the archive is kept next to them
   */
  static List<String> flags(String java, List<String> jars, Path classes)
      throws IOException, InterruptedException {
    StringBuilder key = new StringBuilder(System.getProperty("java.vm.version"));
    for (String jar : jars) {
      key.append(jar).append(new File(jar).lastModified());
    }
    Path directory = classes.resolveSibling("library-archive");
    Path archive = directory.resolve(Integer.toHexString(key.toString().hashCode()) + ".jsa");
    if (Files.notExists(archive)) {
      FileUtils.deleteDirectory(directory.toFile());
      make(archive, Files.createDirectories(directory), java, jars, classes);
    }
    return List.of("-XX:SharedArchiveFile=" + archive);
  }

  private static void make(
      Path archive, Path directory, String java, List<String> jars, Path classes)
      throws IOException, InterruptedException {
    String libraries = String.join(File.pathSeparator, jars);
    Path names = directory.resolve("classes.txt");
    run(
        directory,
        java,
        "-XX:TieredStopAtLevel=1",
        "-XX:DumpLoadedClassList=" + names,
        "-cp",
        libraries + File.pathSeparator + classes,
        WindowedAggregation.class.getName());
    Path unfinished = directory.resolve("unfinished.jsa");
    run(
        directory,
        java,
        "-Xshare:dump",
        "-XX:+UseSerialGC",
        "-XX:SharedClassListFile=" + names,
        "-XX:SharedArchiveFile=" + unfinished,
        "-cp",
        libraries);
    Files.move(unfinished, archive);
  }

  private static void run(Path directory, String... command)
      throws IOException, InterruptedException {
    File log = directory.resolve("log.txt").toFile();
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log)
            .start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new AssertionError("No archive of the libraries' classes could be made; see " + log);
    }
  }
}
