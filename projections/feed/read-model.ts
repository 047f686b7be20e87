import type { DeliveryFacts } from '../../src/domain/delivery/delivery.ts';
import type { Position } from '../../src/eventsourcing/message.ts';

/** A public event in the feed of its key. Refers to the facts from which the payload is built on read. */
export type FeedDocument = DeliveryFacts & {
  /** Log position; the sort order of the feed. */
  readonly position: Position;
};
