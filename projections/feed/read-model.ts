import type { DeliveryFacts } from '../../src/domain/delivery/delivery.ts';

/** A public event in the feed of its key. Refers to the facts from which the payload is built on read. */
export type FeedDocument = DeliveryFacts & {
  /** Log position as a text; the sort order of the feed. */
  readonly position: string;
};
