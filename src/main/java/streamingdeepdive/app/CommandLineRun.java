package streamingdeepdive.app;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import scala.Option;

/** One run of a main, from its command line to its exit code. */
final class CommandLineRun {
  private static final int FAILED = 1;
  private static final int UNUSABLE = 2;

  private CommandLineRun() {}

  static int execute(
      Class<?> main, String purpose, String[] args, InputOptions input, StreamingApp.Body body) {
    AppOptions options = new AppOptions(input);
    CommandLine commandLine = new CommandLine(options).setCommandName(main.getSimpleName());
    CommandSpec spec = commandLine.getCommandSpec();
    spec.usageMessage().description(purpose);
    input.excluded().forEach(option -> spec.remove(spec.findOption(option)));
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
        printStackTrace(e);
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
    options.input.requireUsable();
    try (StopSignal signal = new StopSignal();
        AppSession session =
            AppSession.open(main.getSimpleName(), options.ui, options.input.settings())) {
      options.requireUsable(session.spark());
      Option<String> ui = session.spark().sparkContext().uiWebUrl();
      if (options.ui && ui.isDefined()) {
        System.out.println("Spark UI at " + ui.get());
      }
      try {
        body.run(new AppRun(options, session, signal));
      } catch (Exception e) {
        if (!signal.isReceived()) {
          throw e;
        }
      }
    }
  }

  private static void printStackTrace(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      System.err.println(FailureSentence.firstLine(cause.toString()));
      for (StackTraceElement element : cause.getStackTrace()) {
        System.err.println("\tat " + element);
      }
    }
  }
}
