/**
 * The lessons, one class each: a method that builds the query, and a main that runs it on the
 * sample data. The first is {@link streamingdeepdive.lesson.FileSource}; each links the next one
 * and its trap. Only the mains need {@link streamingdeepdive.app}.
 */
package streamingdeepdive.lesson;
