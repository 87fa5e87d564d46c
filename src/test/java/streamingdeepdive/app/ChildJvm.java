package streamingdeepdive.app;

import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A main in a JVM of its own. Without flags it runs as a user starts it. */
public final class ChildJvm implements AutoCloseable {
  private static final long LIMIT_SECONDS = 600;
  private static final String END = "\0";

  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin", "java").toString();

  /**
   * Flags for children that need not show that they do without any: a short life, started fast. The
   * classes of the libraries come from an archive.
   */
  public static final List<String> QUICK =
      List.of(
          "-XX:TieredStopAtLevel=1",
          // The default of C1 is too small for many mains, and the JVM says so on stdout.
          "-XX:ReservedCodeCacheSize=256m",
          "-XX:+UseSerialGC",
          // Fewer pages to touch for the first time.
          "-Xmn48m",
          "-XX:+UnlockDiagnosticVMOptions",
          "-XX:-BytecodeVerificationRemote",
          "-Dspark.sql.codegen.factoryMode=NO_CODEGEN");

  /** The flag for a child that would log as the tests do, since their classes are on its path. */
  public static final String LOGGING_OF_A_MAIN =
      "-Dlog4j2.configurationFile=classpath:streamingdeepdive/app/log4j2-main.properties";

  static final List<String> LIBRARIES =
      Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
          .filter(entry -> entry.endsWith(".jar"))
          .toList();

  private static final Path OUR_CLASSES = directoryOf(LessonRun.class);
  private static final LibraryArchive ARCHIVE = new LibraryArchive(JAVA, LIBRARIES, OUR_CLASSES);

  private final Process process;
  private final Path place;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final StringBuilder out = new StringBuilder();

  private ChildJvm(Process process, Path place) {
    this.process = process;
    this.place = place;
    // A test JVM that is stopped closes nothing.
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    Thread reader =
        new Thread(
            () -> {
              try {
                process.inputReader().lines().forEach(lines::add);
              } finally {
                lines.add(END);
              }
            });
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * Starts a main.
   *
   * @param place a directory of the test, for the child's working and temporary directories
   */
  public static ChildJvm start(List<String> flags, Path place, Class<?> main, String... args)
      throws IOException, InterruptedException {
    return startIn(Map.of(), flags, place, main, args);
  }

  /** Starts a main with more variables in its environment. */
  public static ChildJvm startIn(
      Map<String, String> environment,
      List<String> flags,
      Path place,
      Class<?> main,
      String... args)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(flags);
    if (flags.containsAll(QUICK)) {
      all.addAll(ARCHIVE.flags());
    }
    return start(environment, all, LIBRARIES, place, main, args);
  }

  /** Starts a main without some of the libraries. */
  public static ChildJvm startWithout(
      Predicate<String> libraries,
      Map<String, String> environment,
      List<String> flags,
      Path place,
      Class<?> main,
      String... args)
      throws IOException {
    List<String> jars = LIBRARIES.stream().filter(libraries.negate()).toList();
    return start(environment, flags, jars, place, main, args);
  }

  /** As {@link #QUICK}, for a JVM that a child starts with {@link #LIBRARIES}. */
  static String quickOptions() throws IOException, InterruptedException {
    return Stream.concat(QUICK.stream(), ARCHIVE.flags().stream())
        .filter(flag -> !flag.startsWith("-Dspark")) // Spark refuses its own settings there
        .map(flag -> '"' + flag + '"')
        .collect(Collectors.joining(" "));
  }

  /**
   * The libraries come first, as under spark-submit, and since their archive needs that. A main of
   * Spark's is in one of them.
   */
  private static ChildJvm start(
      Map<String, String> environment,
      List<String> flags,
      List<String> libraries,
      Path place,
      Class<?> main,
      String... args)
      throws IOException {
    Path work = Files.createDirectories(place.resolve("work"));
    Path temporary = Files.createDirectories(place.resolve("with a space"));
    List<String> classPath = new ArrayList<>(libraries);
    Stream.of(OUR_CLASSES, directoryOf(main))
        .distinct()
        .filter(Files::isDirectory)
        .forEach(directory -> classPath.add(directory.toString()));
    List<String> command = new ArrayList<>(List.of(JAVA));
    command.addAll(flags);
    // The main runs without it; it shows what the main leaves behind.
    command.add("-Djava.io.tmpdir=" + temporary);
    command.addAll(List.of("-cp", String.join(File.pathSeparator, classPath), main.getName()));
    command.addAll(List.of(args));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(work.toFile())
            .redirectError(place.resolve("err.txt").toFile());
    builder.environment().putAll(environment);
    return new ChildJvm(builder.start(), place);
  }

  private static Path directoryOf(Class<?> type) {
    return Path.of(URI.create(type.getProtectionDomain().getCodeSource().getLocation().toString()));
  }

  /** Reads stdout up to a line that contains a text, and returns that line. */
  public String awaitLine(String text) throws InterruptedException, IOException {
    for (String line = next(); !line.equals(END); line = next()) {
      if (line.contains(text)) {
        return line;
      }
    }
    throw new AssertionError("The child JVM ended without printing " + text + ":\n" + out + err());
  }

  /** Reads stdout to its end and returns all of it, with line feeds. */
  public String awaitOut() throws InterruptedException, IOException {
    String line = next();
    while (!line.equals(END)) {
      line = next();
    }
    return out.toString();
  }

  private String next() throws InterruptedException, IOException {
    String line = lines.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
    if (line == null) {
      throw new AssertionError(
          "The child JVM printed nothing for a long time after:\n" + out + err());
    }
    if (!line.equals(END)) {
      out.append(line).append('\n');
    }
    return line;
  }

  /** Waits for the end of the process. */
  public int awaitExitCode() throws InterruptedException {
    if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("The child JVM does not end");
    }
    return process.exitValue();
  }

  public String err() throws IOException {
    return Files.readString(place.resolve("err.txt"));
  }

  /** Writes a line to the child's stdin. */
  public void send(String line) throws IOException {
    BufferedWriter in = process.outputWriter();
    in.write(line);
    in.newLine();
    in.flush();
  }

  public long pid() {
    return process.pid();
  }

  /** Sends SIGTERM, and unlike {@code Process.destroy} goes on reading what the child prints. */
  public void terminate() {
    process.toHandle().destroy();
  }

  /** Sends SIGKILL and waits until the process is gone. */
  public void kill() throws InterruptedException {
    process.toHandle().destroyForcibly();
    awaitExitCode();
  }

  /** The files in the child's temporary directory. */
  public List<Path> temporaryFiles() throws IOException {
    try (Stream<Path> files = Files.list(place.resolve("with a space"))) {
      return files.toList();
    }
  }

  /** Kills it if it is alive; then nothing writes to the directories of the test any more. */
  @Override
  public void close() {
    process.destroyForcibly().onExit().orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS).join();
  }
}
