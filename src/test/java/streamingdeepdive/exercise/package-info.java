/**
 * Exercises, the easiest first: {@link streamingdeepdive.exercise.SlidingTotals}, {@link
 * streamingdeepdive.exercise.DistinctRegions}, {@link streamingdeepdive.exercise.Sessions}, {@link
 * streamingdeepdive.exercise.ReplayedBatches}, {@link streamingdeepdive.exercise.LateSales}. The
 * Javadoc of each has the task and the script that tests it: the rows that go in, and the rows that
 * must come out. Put your query where {@code NotSolvedException} is thrown, and run the test. As
 * long as an exercise is not solved, its test runs the one in {@code solution}. Hints are in {@code
 * hints.md}.
 */
package streamingdeepdive.exercise;
