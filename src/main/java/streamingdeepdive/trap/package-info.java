/**
 * The traps, one class each: a mistake and its cure side by side. The first is {@link
 * streamingdeepdive.trap.CompleteModeGrowth}; each links its lesson and the next one.
 */
package streamingdeepdive.trap;
