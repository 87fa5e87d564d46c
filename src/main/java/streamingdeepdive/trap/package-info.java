/**
 * The traps, one class each: a mistake and its cure side by side. Each links its lessons, the trap
 * before and the next one. Read them in this order, or after the lesson that links them:
 *
 * <ul>
 *   <li>{@link streamingdeepdive.trap.UnboundedState}: What does an aggregation keep if nothing
 *       tells it when to forget?
 *   <li>{@link streamingdeepdive.trap.LostWatermark}: Why does the state grow, although {@code
 *       withWatermark} was called?
 *   <li>{@link streamingdeepdive.trap.ProcessingTime}: Why does the same day give other totals when
 *       it is replayed?
 *   <li>{@link streamingdeepdive.trap.CompleteModeGrowth}: What does complete mode write while the
 *       number of keys grows?
 *   <li>{@link streamingdeepdive.trap.LostCheckpoint}: What happens to the rows if a checkpoint or
 *       an output is deleted?
 *   <li>{@link streamingdeepdive.trap.ChangedQuery}: What does Spark do with state that another
 *       query left?
 *   <li>{@link streamingdeepdive.trap.UnfinishedBatch}: Why does a query die of {@code show(1)} in
 *       its {@code foreachBatch}?
 *   <li>{@link streamingdeepdive.trap.FutureEvents}: What does one event with a wrong year do to
 *       all that come after it?
 *   <li>{@link streamingdeepdive.trap.UnlimitedBacklog}: What does a first start on a full
 *       directory do to late events?
 *   <li>{@link streamingdeepdive.trap.EndlessSession}: What is output of a session that goes on and
 *       on?
 * </ul>
 */
package streamingdeepdive.trap;
