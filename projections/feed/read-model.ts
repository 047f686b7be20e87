import type { DeliveryFacts } from '../../src/domain/delivery/delivery.ts';
import type { Position } from '../../src/eventsourcing/message.ts';

/** A public event in the feed of its key: where its facts stand. The event itself is made from them when it is asked for. */
export type FeedDocument = DeliveryFacts & {
  /** Its place in the feed. */
  readonly position: Position;
};
