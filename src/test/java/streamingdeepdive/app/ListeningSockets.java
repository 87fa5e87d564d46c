package streamingdeepdive.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The addresses on which a process listens, as Linux tells. */
final class ListeningSockets {
  private static final String LISTEN = "0A";

  private ListeningSockets() {}

  static List<InetSocketAddress> of(long pid) throws IOException {
    Path proc = Path.of("/proc", Long.toString(pid));
    Set<String> sockets;
    try (Stream<Path> descriptors = Files.list(proc.resolve("fd"))) {
      sockets = descriptors.map(ListeningSockets::target).collect(Collectors.toSet());
    }
    return Stream.of("net/tcp", "net/tcp6")
        .flatMap(table -> lines(proc.resolve(table)))
        .skip(1)
        .map(line -> line.strip().split("\\s+"))
        .filter(field -> field[3].equals(LISTEN) && sockets.contains("socket:[" + field[9] + "]"))
        .map(field -> address(field[1]))
        .toList();
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException closedMeanwhile) {
      return "";
    }
  }

  private static Stream<String> lines(Path table) {
    try {
      return Files.readAllLines(table).stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The kernel prints an address as 32-bit words in the order of the processor. */
  private static InetSocketAddress address(String hex) {
    String[] parts = hex.split(":");
    ByteBuffer words = ByteBuffer.wrap(HexFormat.of().parseHex(parts[0]));
    ByteBuffer bytes = ByteBuffer.allocate(words.capacity()).order(ByteOrder.nativeOrder());
    while (words.hasRemaining()) {
      bytes.putInt(words.getInt());
    }
    try {
      return new InetSocketAddress(
          InetAddress.getByAddress(bytes.array()), Integer.parseInt(parts[1], 16));
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }
}
