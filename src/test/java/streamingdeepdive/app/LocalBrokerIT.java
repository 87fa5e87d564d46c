package streamingdeepdive.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class LocalBrokerIT {
  private static void connect(String address) throws Exception {
    String[] parts = address.split(":");
    new Socket(parts[0], Integer.parseInt(parts[1])).close();
  }

  @Test
  void nothingIsLeftOnceItIsClosed() throws Exception {
    LocalBroker broker = LocalBroker.start();
    String address = broker.bootstrapServers();
    connect(address);
    assertThat(broker.directory).isDirectory();

    broker.close();

    assertThatThrownBy(() -> connect(address)).isInstanceOf(ConnectException.class);
    assertThat(broker.directory).doesNotExist();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void listensOnTheLoopbackInterfaceOnly() throws Exception {
    try (LocalBroker broker = LocalBroker.start()) {
      assertThat(ListeningSockets.of(ProcessHandle.current().pid()))
          .allMatch(socket -> socket.getAddress().isLoopbackAddress())
          .extracting(InetSocketAddress::getPort)
          .contains(Integer.parseInt(broker.bootstrapServers().split(":")[1]));
    }
  }
}
