package streamingdeepdive.app;

import picocli.CommandLine.Option;

/** A server that sends events as lines. */
final class SocketOptions implements InputOptions {
  @Option(
      names = "--port",
      paramLabel = "PORT",
      description =
          "Read from the server at this port until stopped."
              + " Without it the sample data is replayed by a server in this process.")
  private Integer port;

  @Option(
      names = "--host",
      paramLabel = "HOST",
      description = "With --port: the server's host; localhost by default.")
  private String host;

  @Override
  public String names() {
    return "--port";
  }

  @Override
  public String place() {
    return port == null ? null : host() + ":" + port;
  }

  String host() {
    return host == null ? "localhost" : host;
  }

  int port() {
    return port;
  }

  @Override
  public void requireUsable() {
    if (host != null && port == null) {
      throw new UsageException("--host goes with --port; give the port too.");
    }
  }
}
