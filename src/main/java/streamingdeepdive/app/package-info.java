/**
 * What a main needs around its query: session, options, replay of the sample data, printing. It
 * knows no lesson.
 */
package streamingdeepdive.app;
