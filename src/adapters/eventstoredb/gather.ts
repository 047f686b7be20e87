import { type Position, unreachable } from '../../eventsourcing/message.ts';
import type { StoredEvent } from '../../ports/event-store.ts';
import { later } from './positions.ts';
import type { Tap } from './tap.ts';

/** What a subscriber is told next, and whether the server has caught it up. */
export type Gathered = {
  readonly events: readonly StoredEvent[];
  readonly upTo: Position;
  readonly caughtUp: boolean;
  readonly live: boolean;
};

/** What is here by now, at most a batch of it. Being caught up ends a batch, since nothing may follow it there. */
export function gather(
  tap: Pick<Tap, 'take'>,
  from: { readonly upTo: Position; readonly headBefore: Position; readonly live: boolean },
  maxBatch: number,
): Gathered {
  const events: StoredEvent[] = [];
  let { upTo, live } = from;
  while (events.length < maxBatch) {
    const message = tap.take();
    if (message === null) break;
    switch (message.kind) {
      case 'event':
        // A server that repeats itself when it falls behind must double nothing.
        if (message.event.position <= upTo) break;
        events.push(message.event);
        upTo = message.event.position;
        break;
      case 'passed':
        // Known to come late, from before events that were said.
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
