package streamingdeepdive.exercise;

/** Stands where the solution of an exercise goes. */
public final class NotSolvedException extends UnsupportedOperationException {
  private static final long serialVersionUID = 1;

  /** Says what to do. */
  public NotSolvedException() {
    super("This exercise is not solved yet: put your query here.");
  }
}
