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
   * Returns what a query must have read before it has seen all pieces.
   *
   * @return a number of rows; 0 where a piece can be read as soon as it has landed
   */
  default long rowsToAwait() {
    return 0;
  }
}
