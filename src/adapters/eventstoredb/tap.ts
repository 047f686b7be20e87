import type { AllStreamResolvedEvent, AllStreamSubscription, Position as LogPosition } from '@eventstore/db-client';
import { streamNameFilter } from '@eventstore/db-client';
import type { Position } from '../../eventsourcing/message.ts';
import type { StoredEvent } from '../../ports/event-store.ts';
import type { Connection } from './connection.ts';
import { positionOf, readPositionOf } from './positions.ts';
import { isSystemEvent, storedEvent } from './stored-events.ts';

/** Events that the server looks through at once, and after which it says how far it has come if none matched. */
const SEARCH_WINDOW = 500;

/** What a subscription says, in the order of the log. */
export type Message =
  | { readonly kind: 'event'; readonly event: StoredEvent }
  /** Everything up to here was said. */
  | { readonly kind: 'passed'; readonly position: Position }
  /** Everything that the log held at this moment was said, and what comes now is new. */
  | { readonly kind: 'caught-up' }
  | { readonly kind: 'fell-behind' };

/** One subscription of the server, as long as it lasts. */
export type Tap = {
  /** The next message that is already here. @throws where it is no event of ours */
  take(): Message | null;
  /** Resolves when there is a message or nothing more will come, when the signal aborts, or after some time of silence. */
  wait(ms: number, signal: AbortSignal): Promise<'woken' | 'silence'>;
  /** Set once nothing more will come. */
  readonly end: { readonly fault: unknown } | null;
  close(): void;
};

export type Tapping = {
  readonly after: Position;
  /** Null: every stream but the engine's own. */
  readonly categories: readonly string[] | null;
  readonly buffered: number;
};

/** Follows the log after a position. The server filters, and stops sending while `buffered` messages wait here. */
export function openTap(connection: Connection, { after, categories, buffered }: Tapping): Tap {
  const window = {
    maxSearchWindow: SEARCH_WINDOW,
    checkpointInterval: 1,
    // These come beside the events: put among them where they are said, they keep their place in the order.
    checkpointReached: (to: AllStreamSubscription, position: LogPosition) =>
      void to.push({ kind: 'passed', position: positionOf(position) }),
  };
  const subscription: AllStreamSubscription = connection.subscribeToAll(
    {
      fromPosition: readPositionOf(after),
      requiresLeader: true,
      filter:
        categories === null
          ? streamNameFilter({ ...window, regex: '^[^$]' })
          : streamNameFilter({ ...window, prefixes: categories.map((category) => `${category}-`) }),
    },
    { highWaterMark: buffered },
  );
  let end: Tap['end'] = null;
  let wake: () => void = () => undefined;
  const over = (fault: unknown): void => {
    end ??= { fault };
    wake();
  };
  subscription.on('caughtUp', () => void subscription.push({ kind: 'caught-up' }));
  subscription.on('fellBehind', () => void subscription.push({ kind: 'fell-behind' }));
  subscription.on('readable', () => wake());
  subscription.on('error', over);
  subscription.on('end', () => over(new Error('the event store ended the subscription')));
  return {
    get end() {
      return end;
    },
    take() {
      // What was pushed above, or what the client made of an event.
      const said = subscription.read() as AllStreamResolvedEvent | Exclude<Message, { kind: 'event' }> | null;
      if (said === null || 'kind' in said) return said;
      return said.event === undefined ? null : messageOf(said.event);
    },
    wait(ms, signal) {
      return new Promise((resolve) => {
        const settle = (as: 'woken' | 'silence'): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', woken);
          wake = () => undefined;
          resolve(as);
        };
        const woken = (): void => settle('woken');
        const timer = setTimeout(settle, ms, 'silence');
        wake = woken;
        signal.addEventListener('abort', woken);
        if (signal.aborted || end !== null || subscription.readableLength > 0) woken();
      });
    },
    close() {
      subscription.unsubscribe().catch(() => undefined);
    },
  };
}

/** A tombstone or a link is no event of ours, but its place has been passed. */
function messageOf(event: NonNullable<AllStreamResolvedEvent['event']>): Message {
  return isSystemEvent(event)
    ? { kind: 'passed', position: positionOf(event.position) }
    : { kind: 'event', event: storedEvent(event) };
}
