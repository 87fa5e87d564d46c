/** One solution of each exercise. */
package streamingdeepdive.exercise.solution;
