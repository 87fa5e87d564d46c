package streamingdeepdive.app;

import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import scala.Option;

/** One run of a main, from its command line to its exit code. */
final class CommandLineRun {
  private static final int FAILED = 1;
  private static final int UNUSABLE = 2;

  private CommandLineRun() {}

  /**
   * @param missing the options that this main does not have
   */
  static int execute(
      Class<?> main, String purpose, String[] args, Set<String> missing, StreamingApp.Body body) {
    AppOptions options = new AppOptions(!missing.contains("--output"));
    CommandLine commandLine = new CommandLine(options).setCommandName(main.getSimpleName());
    CommandSpec spec = commandLine.getCommandSpec();
    spec.usageMessage().description(purpose);
    missing.forEach(option -> spec.remove(spec.findOption(option)));
    try {
      commandLine.parseArgs(args);
      if (options.help) {
        commandLine.usage(System.out);
        return 0;
      }
      options.requireConsistent();
      run(main, options, body);
      return 0;
    } catch (ParameterException e) {
      System.err.println(e.getMessage() + "; --help lists what is possible.");
      return UNUSABLE;
    } catch (UsageException e) {
      System.err.println(e.getMessage());
      return UNUSABLE;
    } catch (Exception | LinkageError e) {
      System.err.println(FailureSentence.of(e, options));
      if (options.verbose) {
        e.printStackTrace();
      }
      return FAILED;
    }
  }

  private static void run(Class<?> main, AppOptions options, StreamingApp.Body body)
      throws Exception {
    JavaRuntime.prepare();
    if (!AppSession.isSubmitted()) {
      QuietLogging.start();
    }
    try (StopSignal signal = new StopSignal();
        AppSession session = AppSession.open(main.getSimpleName(), options.ui)) {
      options.requireUsable(session.spark());
      Option<String> ui = session.spark().sparkContext().uiWebUrl();
      if (options.ui && ui.isDefined()) {
        System.out.println("Spark UI at " + ui.get());
      }
      try {
        body.run(new StreamingApp(options, session, signal));
      } catch (Exception e) {
        if (!signal.isReceived()) {
          throw e;
        }
      }
    }
  }
}
