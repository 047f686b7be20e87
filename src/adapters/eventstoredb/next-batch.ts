import { type Position, unreachable } from '../../eventsourcing/message.ts';
import type { StoredEvent } from '../../ports/event-store.ts';
import { later } from './positions.ts';
import type { ServerSubscription } from './server-subscription.ts';

/** The next batch of a subscriber. `caughtUp`: it ends at the head of the log; `live`: the server sends new events. */
type NextBatch = {
  readonly events: readonly StoredEvent[];
  readonly upTo: Position;
  readonly caughtUp: boolean;
  readonly live: boolean;
};

/** The messages received so far, at most `maxBatch` events. `caught-up` ends a batch: no event may follow it there. */
export function nextBatch(
  subscription: Pick<ServerSubscription, 'take'>,
  from: { readonly upTo: Position; readonly headBefore: Position; readonly live: boolean },
  maxBatch: number,
): NextBatch {
  const events: StoredEvent[] = [];
  let { upTo, live } = from;
  while (events.length < maxBatch) {
    const message = subscription.take();
    if (message === null) break;
    switch (message.kind) {
      case 'event':
        // A server that fell behind may send an event twice.
        if (message.event.position <= upTo) break;
        events.push(message.event);
        upTo = message.event.position;
        break;
      case 'passed':
        // The server may send a position that precedes events it sent before.
        upTo = later(upTo, message.position);
        break;
      case 'caught-up':
        return { events, upTo: later(upTo, from.headBefore), caughtUp: true, live: true };
      case 'fell-behind':
        live = false;
        break;
      default:
        return unreachable(message);
    }
  }
  return { events, upTo, caughtUp: false, live };
}
