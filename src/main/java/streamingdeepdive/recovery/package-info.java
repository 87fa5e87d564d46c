/**
 * What recovery rests on: a checkpoint, an output that belongs to it, and a query that is still the
 * same. Where Spark would lose or double rows without a word, these checks fail early.
 */
package streamingdeepdive.recovery;
