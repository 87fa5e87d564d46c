package streamingdeepdive.app;

import java.io.IOException;
import java.net.URISyntaxException;
import java.util.List;

/** One file of the sample data, and where it lands in its turn of the replay. */
record Piece(String name, String content, Landing landing) {
  static List<Piece> read(String folder, Landing landing) throws IOException, URISyntaxException {
    return SampleData.read(folder).stream()
        .map(file -> new Piece(file.name(), file.content(), landing))
        .toList();
  }

  void land() {
    landing.land(name, content);
  }
}
