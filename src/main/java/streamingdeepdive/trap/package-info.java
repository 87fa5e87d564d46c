/** The traps: one class per mistake, with the mistake and its cure side by side. */
package streamingdeepdive.trap;
