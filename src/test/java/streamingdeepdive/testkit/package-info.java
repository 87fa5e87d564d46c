/**
 * A test kit for streaming queries. A test is a script: each step adds rows, stops, restarts or
 * crashes the query, and states what must be seen after it. The query runs on the real engine.
 *
 * <h2>Set-up</h2>
 *
 * <pre>{@code
 * <dependency>
 *   <groupId>streamingdeepdive</groupId>
 *   <artifactId>streaming-deep-dive</artifactId>
 *   <version>0.1.0</version>
 *   <scope>test</scope>
 * </dependency>
 * <dependency>
 *   <groupId>streamingdeepdive</groupId>
 *   <artifactId>streaming-deep-dive</artifactId>
 *   <version>0.1.0</version>
 *   <type>test-jar</type>
 *   <scope>test</scope>
 * </dependency>
 * <dependency>
 *   <groupId>org.junit.jupiter</groupId>
 *   <artifactId>junit-jupiter</artifactId>
 *   <version>5.14.4</version>
 *   <scope>test</scope>
 * </dependency>
 * }</pre>
 *
 * <p>Spark 3.5 (Scala 2.12) comes with the first one, unless your project has it already. The kit
 * joins a Spark context that is running, with the flags that you gave it; else it starts one, and
 * needs neither flags nor settings. The extension and the columns can stand at a base class, or at
 * the class around a {@code @Nested} one.
 *
 * <p>{@link streamingdeepdive.testkit.KafkaStream} needs a broker, without what Spark has in other
 * versions:
 *
 * <pre>{@code
 * <dependency>
 *   <groupId>org.apache.kafka</groupId>
 *   <artifactId>kafka_2.12</artifactId>
 *   <version>3.4.1</version>
 *   <scope>test</scope>
 *   <exclusions>
 *     <exclusion><groupId>com.fasterxml.jackson.core</groupId><artifactId>*</artifactId></exclusion>
 *     <exclusion><groupId>com.fasterxml.jackson.module</groupId><artifactId>*</artifactId></exclusion>
 *     <exclusion><groupId>com.fasterxml.jackson.dataformat</groupId><artifactId>*</artifactId></exclusion>
 *     <exclusion><groupId>com.fasterxml.jackson.datatype</groupId><artifactId>*</artifactId></exclusion>
 *     <exclusion><groupId>io.dropwizard.metrics</groupId><artifactId>*</artifactId></exclusion>
 *     <exclusion><groupId>org.apache.zookeeper</groupId><artifactId>*</artifactId></exclusion>
 *     <exclusion><groupId>org.scala-lang</groupId><artifactId>*</artifactId></exclusion>
 *     <exclusion><groupId>org.scala-lang.modules</groupId><artifactId>scala-collection-compat_2.12</artifactId></exclusion>
 *     <exclusion><groupId>org.slf4j</groupId><artifactId>*</artifactId></exclusion>
 *   </exclusions>
 * </dependency>
 * }</pre>
 *
 * <h2>A first test</h2>
 *
 * <pre>{@code
 * @ExtendWith(StreamingExtension.class)
 * @Columns("time TIMESTAMP, user STRING")
 * class KitGuideIT {
 *   @Test
 *   void countsPerMinute(InMemoryStream clicks) {
 *     Dataset<Row> counts =
 *         clicks
 *             .toDF()
 *             .withWatermark("time", "1 minute")
 *             .groupBy(functions.window(col("time"), "1 minute"))
 *             .count();
 *     testStream(
 *         counts,
 *         OutputMode.Append(),
 *         add(clicks, row(at("10:00:05"), "ann"), row(at("10:00:30"), "bob")).rows().state(1),
 *         add(clicks, row(at("10:02:00"), "ann"))
 *             .rows(row(window("10:00", "10:01"), 2L))
 *             .watermark("10:01")
 *             .state(1),
 *         restart(),
 *         add(clicks, row(at("10:00:59"), "ann")).rows().dropped(1));
 *   }
 * }
 * }</pre>
 *
 * <p>The step that is not as stated fails the test. The report shows the script with that step
 * marked, the rows that were expected and those that came, and the query's last progress.
 *
 * <h2>Steps</h2>
 *
 * <table>
 * <caption>What can happen</caption>
 * <tr><th>Step</th><th>What happens</th></tr>
 * <tr><td>{@code add(stream, rows...)}</td><td>The rows are added in one piece.</td></tr>
 * <tr><td>{@code add(left, rows...).and(right, rows...)}</td><td>Rows of several streams are in one
 * micro-batch.</td></tr>
 * <tr><td>{@code add(code)}</td><td>Code of yours adds data by any other means.</td></tr>
 * <tr><td>{@code addLines}, {@code addValues}</td><td>Any text, as a file or as records.</td></tr>
 * <tr><td>{@code addAllAtOnce(stream, rows...)}</td><td>Each row is a piece of its own; all are
 * there before the query looks.</td></tr>
 * <tr><td>{@code stop()}, {@code start()}, {@code restart()}</td><td>The query goes on from its
 * checkpoint. Rows that are added to a query that is down wait for its start.</td></tr>
 * <tr><td>{@code start(trigger)}</td><td>With a trigger that ends, the step takes until then.
 * </td></tr>
 * <tr><td>{@code start(writer)}</td><td>Another query goes on from the checkpoint.</td></tr>
 * <tr><td>{@code fromCheckpoint(path)}</td><td>The query goes on from what an earlier run left.
 * </td></tr>
 * <tr><td>{@code crash()}, {@code crash(stream, rows...)}</td><td>The query dies between the write
 * to the sink and the commit; the next start replays the micro-batch.</td></tr>
 * <tr><td>{@code advance(clock, "10 seconds")}</td><td>The clock of the queries moves on.</td></tr>
 * <tr><td>{@code random(seed, stream, rows)}</td><td>The rows come in pieces, with stops, restarts
 * and crashes in between.</td></tr>
 * <tr><td>{@code check(code)}</td><td>Code of yours looks at anything else.</td></tr>
 * </table>
 *
 * <p>A step ends when the query has taken in all data and is idle, and the listeners of its session
 * have been told.
 *
 * <h2>Statements</h2>
 *
 * <table>
 * <caption>What can be stated of a step</caption>
 * <tr><th>Statement</th><th>What it states</th></tr>
 * <tr><td>{@code rows}, {@code rowsInOrder}</td><td>The rows that came in this step; in complete
 * mode the whole table; of a sink of your own all that it holds.</td></tr>
 * <tr><td>{@code lastRows}</td><td>The rows of the last micro-batch of this step.</td></tr>
 * <tr><td>{@code allRows}</td><td>The rows of all steps so far. A replayed micro-batch counts once.
 * </td></tr>
 * <tr><td>{@code rowsSatisfy}</td><td>Assertions of yours on the rows.</td></tr>
 * <tr><td>{@code watermark("10:01")}</td><td>The watermark that the next micro-batch has.</td></tr>
 * <tr><td>{@code state}, {@code updated}, {@code removed}, {@code dropped}</td><td>State rows, how
 * many of them were put and removed, and rows dropped as late: one number for all operators, or one
 * for each, in the order in which rows reach them.</td></tr>
 * <tr><td>{@code duplicates}</td><td>Rows that a deduplication dropped.</td></tr>
 * <tr><td>{@code microBatches}</td><td>How many ran, no-data micro-batches included.</td></tr>
 * <tr><td>{@code expectFailure}</td><td>The query fails, and stays down until a step starts it.
 * </td></tr>
 * <tr><td>{@code satisfies}</td><td>Assertions of yours on the query and its progress.</td></tr>
 * <tr><td>{@code within}</td><td>How long the step may take; 60 seconds is the default.</td></tr>
 * </table>
 *
 * <p>Rows are compared by their values: a time is a time whatever type Java gives it, and {@code
 * 1L} is no {@code 1}. {@code values("a", "b")} makes rows of one column.
 *
 * <h2>Idioms</h2>
 *
 * <p>Data that is there before the start:
 *
 * <pre>{@code
 * clicks.addData(List.of(row(at("10:00"), "ann")));
 * testStream(users, OutputMode.Append(), start().rows(values("ann")));
 * }</pre>
 *
 * <p>A join, with rows of both sides in one micro-batch:
 *
 * <pre>{@code
 * testStream(
 *     joined,
 *     OutputMode.Append(),
 *     add(clicks, row(at("10:00"), "ann")).and(sales, row(at("10:01"), "ann")).rows(values("ann")));
 * }</pre>
 *
 * <p>A run that takes what is there and ends:
 *
 * <pre>{@code
 * testStream(
 *     users,
 *     OutputMode.Append(),
 *     stop(),
 *     add(clicks, row(at("10:00"), "ann")),
 *     start(Trigger.AvailableNow()).rows(values("ann")));
 * }</pre>
 *
 * <p>A clock, for triggers, {@code current_timestamp()} and processing-time timeouts. With such a
 * timeout a query runs micro-batches without end, so it needs a trigger of a fixed interval:
 *
 * <pre>{@code
 * testStream(
 *     users,
 *     OutputMode.Append(),
 *     start(Trigger.ProcessingTime("10 seconds")),
 *     add(clicks, row(at("10:00"), "ann")).rows(),
 *     advance(clock, "10 seconds").rows(values("ann")));
 * }</pre>
 *
 * <p>A new release of a query on the checkpoint of the old one; settings change alike, by a {@code
 * check} before the restart:
 *
 * <pre>{@code
 * testStream(
 *     counts.writeStream().outputMode(OutputMode.Update()).format("noop"),
 *     add(clicks, row(at("10:00"), "ann")).state(1),
 *     stop(),
 *     start(changed),
 *     add(clicks, row(at("10:00"), "bob")).state(2));
 * }</pre>
 *
 * <p>Exactly once, whatever happens:
 *
 * <pre>{@code
 * testStream(users, OutputMode.Append(), random(42, clicks, rows).allRows(values("ann", "bob")));
 * }</pre>
 *
 * <h2>What it does not do</h2>
 *
 * <ul>
 *   <li>It does not kill a process. A crash is one of the query, at its commit.
 *   <li>It does not test continuous processing, which has no micro-batches to wait for.
 *   <li>Tests of one JVM share a Spark context. In parallel they need sessions of their own, as the
 *       extension gives them; a {@link streamingdeepdive.testkit.TestClock} is its session's own.
 * </ul>
 */
package streamingdeepdive.testkit;
