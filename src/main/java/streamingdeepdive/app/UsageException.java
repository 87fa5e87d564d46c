package streamingdeepdive.app;

/** The user asked for something that cannot be done; the message is one sentence for them. */
final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UsageException(String message) {
    super(message);
  }
}
