package streamingdeepdive.app;

import static java.util.stream.Collectors.joining;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The command line of a main: either none of its options, or all of them. */
record Arguments(Map<String, String> values) {
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
    String missing =
        names.stream()
            .filter(name -> !values.containsKey(name))
            .map("--"::concat)
            .collect(joining(", "));
    if (!values.isEmpty() && !missing.isEmpty()) {
      throw new IllegalArgumentException("Missing: " + missing + ". " + usage(main, names));
    }
    return new Arguments(values);
  }

  /** Ends the process if the command line cannot be carried out, or asks for help. */
  static Arguments parseOrExit(String main, String purpose, List<String> names, String... args) {
    if (List.of(args).contains("--help")) {
      System.out.println(purpose);
      System.out.println(usage(main, names));
      System.exit(0);
    }
    try {
      return parse(main, names, args);
    } catch (IllegalArgumentException e) {
      throw exit(e.getMessage());
    }
  }

  /** Prints a sentence about the command line and ends the process. */
  static RuntimeException exit(String sentence) {
    System.err.println(sentence);
    System.exit(2);
    return new IllegalStateException(sentence);
  }

  static String usage(String main, List<String> names) {
    return names.isEmpty()
        ? main + " takes no options; it replays the sample data."
        : names.stream()
                .map("--%s ..."::formatted)
                .collect(joining(" ", "Usage: " + main + " [", "]"))
            + "; without options it replays the sample data.";
  }

  /** Without options the sample data is replayed. */
  boolean isReplay() {
    return values.isEmpty();
  }

  boolean has(String name) {
    return values.containsKey(name);
  }

  String get(String name) {
    return values.get(name);
  }
}
