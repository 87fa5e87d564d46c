/**
 * A test kit for streaming queries: {@link streamingdeepdive.testkit.StreamScript} runs a query
 * step by step, {@link streamingdeepdive.testkit.FileStream} and {@link
 * streamingdeepdive.testkit.InMemoryStream} feed it, {@link
 * streamingdeepdive.testkit.StreamingExtension} gives a JUnit test its session and streams.
 */
package streamingdeepdive.testkit;
