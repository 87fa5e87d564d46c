/**
 * The lessons: one class per section, with a method that builds the query and a main that runs it
 * on the sample data. Nothing but the mains needs {@link streamingdeepdive.app}.
 */
package streamingdeepdive.lesson;
