package streamingdeepdive.app;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.commons.io.FileUtils;
import streamingdeepdive.lesson.DeltaSink;

/**
 * The libraries' classes that a lesson loads, as the JVM maps them (class data sharing): a child
 * JVM does not parse and verify ten thousand classes anew. The archive is made once, and again when
 * the JVM or a jar has changed.
 */
final class LibraryArchive {
  private static final long LIMIT_SECONDS = 300;

  private final String java;
  private final List<String> jars;
  private final Path classes;
  private final Path directory;
  private List<String> flags;

  /**
   * The archive for JVMs whose class path begins with these jars; a directory cannot be archived.
   *
   * @param classes our own classes; the archive is kept next to them
   */
  LibraryArchive(String java, List<String> jars, Path classes) {
    this.java = java;
    this.jars = jars;
    this.classes = classes;
    this.directory = classes.resolveSibling("library-archive");
  }

  /** None if no archive can be made: children are slower then, and nothing else. */
  synchronized List<String> flags() throws IOException, InterruptedException {
    if (flags == null) {
      Path archive = directory.resolve(key() + ".jsa");
      Path lock = directory.resolveSibling(directory.getFileName() + ".lock");
      // Of two test JVMs the second waits for the archive of the first.
      try (FileChannel file = FileChannel.open(lock, CREATE, WRITE);
          FileLock held = file.lock()) {
        if (held.isValid() && Files.notExists(archive)) {
          FileUtils.deleteDirectory(directory.toFile());
          Files.createDirectories(directory);
          make(archive);
        }
      }
      flags = Files.exists(archive) ? List.of("-XX:SharedArchiveFile=" + archive) : List.of();
    }
    return flags;
  }

  private String key() {
    StringBuilder key = new StringBuilder(System.getProperty("java.vm.version"));
    Stream.concat(Stream.of(java), jars.stream())
        .forEach(file -> key.append(file).append(new File(file).lastModified()));
    return Integer.toHexString(key.toString().hashCode());
  }

  private void make(Path archive) throws IOException, InterruptedException {
    String libraries = String.join(File.pathSeparator, jars);
    Path names = directory.resolve("classes.txt");
    Path unfinished = directory.resolve("unfinished.jsa");
    boolean made =
        run(
                java,
                "-XX:TieredStopAtLevel=1",
                "-XX:DumpLoadedClassList=" + names,
                "-cp",
                libraries + File.pathSeparator + classes,
                DeltaSink.class.getName())
            && run(
                java,
                "-Xshare:dump",
                // As in the children.
                "-XX:+UseSerialGC",
                "-XX:SharedClassListFile=" + names,
                "-XX:SharedArchiveFile=" + unfinished,
                "-cp",
                libraries);
    if (made) {
      Files.move(unfinished, archive);
    }
  }

  private boolean run(String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("log.txt").toFile())
            .start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    try {
      return process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
    } finally {
      process.destroyForcibly();
    }
  }
}
