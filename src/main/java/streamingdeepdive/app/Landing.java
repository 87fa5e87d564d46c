package streamingdeepdive.app;

/** A place where the data of a replay appears piece by piece, for a source to find it. */
interface Landing {
  /**
   * Makes one piece appear, as a whole.
   *
   * @param name its name, not yet used in this place
   * @param content its lines, each ended by a line feed
   */
  void land(String name, String content);

  /**
   * Rows that a query must have read before it has seen all pieces; 0 where a piece is to be seen
   * at once when it has landed.
   */
  default long rowsToAwait() {
    return 0;
  }
}
