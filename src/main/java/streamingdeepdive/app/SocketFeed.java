package streamingdeepdive.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A server on 127.0.0.1 that sends lines to the one client that connects to it. */
public final class SocketFeed implements Replay.Feed, AutoCloseable {
  private final ServerSocket server;
  private Socket client;
  private long lines;

  /** Starts to listen. */
  public SocketFeed() {
    try {
      server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
      server.setSoTimeout(60_000);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * {@return a server that sends the lines of sample files, to be closed by the caller}
   *
   * @param lesson the run of a main
   * @param folder a folder of the sample data
   */
  public static SocketFeed of(LessonRun lesson, String folder) {
    return lesson.feedFrom(folder, new SocketFeed());
  }

  /** {@return as the option {@code port} takes it} */
  public String port() {
    return Integer.toString(server.getLocalPort());
  }

  /** Waits for the client, if there is none yet. */
  @Override
  public void land(String name, String content) {
    try {
      if (client == null) {
        client = server.accept();
      }
      client.getOutputStream().write(content.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    lines += content.lines().count();
  }

  @Override
  public long rowsToAwait() {
    return lines;
  }

  @Override
  public void close() throws IOException {
    server.close();
    if (client != null) {
      client.close();
    }
  }
}
