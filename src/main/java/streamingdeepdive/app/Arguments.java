package streamingdeepdive.app;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The command line of a main: either none of its options, or all of them. */
record Arguments(String main, Map<String, String> values) {
  /**
   * Reads {@code --name value} and {@code --name=value}.
   *
   * @throws IllegalArgumentException with a sentence for the user
   */
  static Arguments parse(String main, List<String> names, String... args) {
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i < args.length; i++) {
      String[] parts = args[i].split("=", 2);
      String name = parts[0].startsWith("--") ? parts[0].substring(2) : "";
      if (!names.contains(name)) {
        throw new IllegalArgumentException("Unknown: " + args[i] + ". " + usage(main, names));
      }
      if (parts.length == 1 && ++i == args.length) {
        throw new IllegalArgumentException("No value for --" + name + ". " + usage(main, names));
      }
      values.put(name, parts.length == 1 ? args[i] : parts[1]);
    }
    List<String> missing = names.stream().filter(name -> !values.containsKey(name)).toList();
    if (!values.isEmpty() && !missing.isEmpty()) {
      throw new IllegalArgumentException(
          "Missing: --" + String.join(", --", missing) + ". " + usage(main, names));
    }
    return new Arguments(main, values);
  }

  /** Ends the process if the command line cannot be carried out, or asks for help. */
  static Arguments parseOrExit(Class<?> type, String purpose, List<String> names, String... args) {
    String main = type.getSimpleName();
    if (List.of(args).contains("--help")) {
      System.out.println(purpose + "\n" + usage(main, names));
      System.exit(0);
    }
    try {
      Arguments arguments = parse(main, names, args);
      String master = System.getProperty("spark.master", "local");
      if (arguments.isReplay() && !master.startsWith("local")) {
        throw new IllegalArgumentException(
            "On " + master + " name places that all executors reach. " + usage(main, names));
      }
      return arguments;
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      System.exit(2);
      throw e;
    }
  }

  private static String usage(String main, List<String> names) {
    return names.isEmpty()
        ? main + " takes no options; it replays the sample data."
        : "Usage: %s [--%s ...]; without options it replays the sample data."
            .formatted(main, String.join(" ... --", names));
  }

  /** Without options the sample data is replayed. */
  boolean isReplay() {
    return values.isEmpty();
  }

  String get(String name, String inReplay) {
    return isReplay() ? inReplay : values.get(name);
  }
}
