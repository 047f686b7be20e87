import type { DomainEvent, Recorded } from './message.ts';

/** Which index a collection needs: fields compared for equality first, then the one that is ranged over or sorted by. */
export type Index = readonly string[];

/**
 * A pure fold from events into documents. `keysOf` names the documents an event touches; `evolve` gives the document
 * after the event, or null for a deleted one. The runner keeps the position of the last event beside each document and
 * never applies an older one, so that delivery at least once has its effect exactly once. It never sends, calls or decides.
 */
export type Projection<Doc extends object, E extends DomainEvent = DomainEvent> = {
  readonly name: string;
  /** Raised when documents change shape: a new version is built beside the old one. */
  readonly version: number;
  /** Stream categories it listens to; events of others never reach it. */
  readonly categories: readonly string[];
  readonly indexes: readonly Index[];
  keysOf(event: Recorded<E>): readonly string[];
  evolve(doc: Doc | null, event: Recorded<E>, key: string): Doc | null;
  /**
   * The same as `evolve` by each of the events in turn, for documents that are dear to copy and are touched by nearly every
   * event of a batch. The tests' `givenEvents` holds one to the other.
   */
  evolveAll?(doc: Doc | null, events: readonly Recorded<E>[], key: string): Doc | null;
};
