import type { DomainEvent, PositionForm, Recorded } from './message.ts';

/**
 * Fields of an index: those compared for equality first, then the one of the range or sort. `['field[]', 'sort']` has an
 * entry for each text of a list.
 */
export type Index = readonly string[];

/**
 * A pure fold from events into documents. `idsOf` returns the ids of the documents that an event changes; `evolve` returns
 * the document after the event, or null for a deleted one. The runner stores the position of the last event with each
 * document and never applies an older one: delivery at least once has its effect exactly once. `format` writes a position
 * into a document, which must be the same on every node and in every release.
 */
export type Projection<Doc extends object, E extends DomainEvent = DomainEvent> = {
  readonly name: string;
  /** Raised when documents change shape: a new version is built beside the old one. */
  readonly version: number;
  /** Stream categories that it folds. */
  readonly categories: readonly string[];
  readonly indexes: readonly Index[];
  /** Once `evolve` has returned null for a document, later events of that document are ignored. */
  readonly deletesForEver?: true;
  idsOf(event: Recorded<E>): readonly string[];
  evolve(doc: Doc | null, event: Recorded<E>, id: string, format: PositionForm['format']): Doc | null;
  /**
   * Equals `evolve` for each event in order. For large documents that nearly every event of a batch touches. The tests'
   * `givenEvents` compares the two.
   */
  evolveAll?(doc: Doc | null, events: readonly Recorded<E>[], id: string): Doc | null;
};

/** How a rebuild ended. Part of a stored event (RebuildEnded): a change needs an upcaster. */
export type RebuildOutcome =
  | { readonly kind: 'rebuilt'; readonly collection: string; readonly events: number; readonly differences: number }
  | { readonly kind: 'failed'; readonly message: string };
