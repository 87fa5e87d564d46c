/**
 * The lessons, one class each: a method that builds the query, and a main that runs it on the
 * sample data. Only the mains need {@link streamingdeepdive.app}. Read them in this order; each
 * links the one before, the one after and its trap:
 *
 * <h2>The unbounded table</h2>
 *
 * <ul>
 *   <li>{@link streamingdeepdive.lesson.FileSource}: What is a stream, if not a table that is never
 *       finished?
 * </ul>
 *
 * <h2>Event time</h2>
 *
 * <ul>
 *   <li>{@link streamingdeepdive.lesson.WindowedAggregation}: How much was sold per five minutes,
 *       if the sales arrive late and out of order?
 *   <li>{@link streamingdeepdive.lesson.SlidingWindows}: How much was sold in the last ten minutes,
 *       asked every five minutes?
 *   <li>{@link streamingdeepdive.lesson.Watermark}: When is a total final, and when can its state
 *       be dropped?
 * </ul>
 *
 * <h2>What is output</h2>
 *
 * <ul>
 *   <li>{@link streamingdeepdive.lesson.OutputModes}: What is output: final rows, changed rows, or
 *       all rows?
 * </ul>
 *
 * <h2>Duplicates</h2>
 *
 * <ul>
 *   <li>{@link streamingdeepdive.lesson.Deduplication}: How is an event counted once that is
 *       delivered twice, and for how long?
 * </ul>
 *
 * <h2>Exactly once</h2>
 *
 * <ul>
 *   <li>{@link streamingdeepdive.lesson.ParquetSink}: How is each row written to files exactly
 *       once, although the process may die at any moment?
 *   <li>{@link streamingdeepdive.lesson.JdbcSink}: How does a database table hold the latest value
 *       of each total, once?
 *   <li>{@link streamingdeepdive.lesson.DeltaSink}: What does a table with a log of its versions
 *       add?
 *   <li>{@link streamingdeepdive.lesson.KafkaSink}: What does a reader of a topic see if a
 *       micro-batch is written twice?
 * </ul>
 *
 * <h2>The engine</h2>
 *
 * <ul>
 *   <li>{@link streamingdeepdive.lesson.Triggers}: When does a micro-batch start, and when does a
 *       query end?
 *   <li>{@link streamingdeepdive.lesson.ContinuousProcessing}: How soon can a row be output, and
 *       what is given up for it?
 * </ul>
 *
 * <h2>More sources</h2>
 *
 * <ul>
 *   <li>{@link streamingdeepdive.lesson.KafkaSource}: How do the records of a topic become rows,
 *       and what happens to those that cannot?
 *   <li>{@link streamingdeepdive.lesson.SocketSource}: What is the quickest way to try out a query,
 *       and why is it no way to run one?
 *   <li>{@link streamingdeepdive.lesson.BadRecords}: Which lines are rejected, and where do they
 *       go?
 * </ul>
 *
 * <h2>Joins</h2>
 *
 * <ul>
 *   <li>{@link streamingdeepdive.lesson.Joins}: Which sales were refunded, and when is it certain
 *       that one was not?
 * </ul>
 *
 * <h2>State and sessions</h2>
 *
 * <ul>
 *   <li>{@link streamingdeepdive.lesson.SessionWindows}: How much was sold before a region paused?
 *   <li>{@link streamingdeepdive.lesson.ChainedOperators}: How much was sold per hour, and in its
 *       best five minutes?
 *   <li>{@link streamingdeepdive.lesson.ArbitraryState}: Which region sold nothing for half an
 *       hour, and how much since its last alert?
 *   <li>{@link streamingdeepdive.lesson.StateStores}: Where does a query keep its state, and which
 *       files hold it?
 * </ul>
 *
 * <h2>Watching a query</h2>
 *
 * <ul>
 *   <li>{@link streamingdeepdive.lesson.Monitoring}: How is it noticed that a query falls behind,
 *       drops rows, or has died?
 * </ul>
 */
package streamingdeepdive.lesson;
