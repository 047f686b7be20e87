import type { AllStreamResolvedEvent, AllStreamSubscription, Position as LogPosition } from '@eventstore/db-client';
import { streamNameFilter } from '@eventstore/db-client';
import type { Position } from '../../eventsourcing/message.ts';
import type { StoredEvent } from '../../ports/event-store.ts';
import type { Connection } from './connection.ts';
import { knownPosition, positionOf, readPositionOf } from './positions.ts';
import { type Ownership, storedEvent } from './stored-events.ts';

/** Number of events that the server looks at before it sends its position when none matched. */
export const SEARCH_WINDOW = 32;

/** A message of a subscription, in log order. */
export type Message =
  | { readonly kind: 'event'; readonly event: StoredEvent }
  /** Every matching event up to here was sent. */
  | { readonly kind: 'passed'; readonly position: Position }
  /** Every event that the log held at this moment was sent; later events are new. */
  | { readonly kind: 'caught-up' }
  | { readonly kind: 'fell-behind' };

/** One subscription to the server, until it ends. */
export type ServerSubscription = {
  /** The next received message; null if there is none. */
  take(): Message | null;
  /**
   * Resolves when a message arrives, the subscription ends or the signal aborts; after `ms`, unless null, without any of
   * them, `silence`.
   */
  wait(ms: number | null, signal: AbortSignal): Promise<'woken' | 'silence'>;
  /** Set when the subscription has ended. */
  readonly end: { readonly fault: unknown } | null;
  close(): void;
};

type ServerSubscriptionOptions = {
  readonly after: Position;
  /** Null means all streams of this installation. */
  readonly categories: readonly string[] | null;
  readonly buffered: number;
  readonly ownership: Ownership;
};

/**
 * Subscribes after a position. The server filters, and stops sending while `buffered` messages wait in this process.
 */
export function openServerSubscription(
  connection: Connection,
  { after, categories, buffered, ownership }: ServerSubscriptionOptions,
): ServerSubscription {
  const { names } = ownership;
  const filter = names.filter(categories);
  const isNamedSo = names.matcher(categories);
  const window = {
    maxSearchWindow: SEARCH_WINDOW,
    checkpointInterval: 1,
    // The client reports checkpoints outside the event stream; pushing them into it keeps their order. A server that
    // has read the log from its start without a match sends 2^64-1, which is not a position.
    checkpointReached: (to: AllStreamSubscription, checkpoint: LogPosition) => {
      try {
        const position = knownPosition(checkpoint);
        if (position !== null) to.push({ kind: 'passed', position });
      } catch (fault) {
        ended(fault);
      }
    },
  };
  const subscription: AllStreamSubscription = connection.subscribeToAll(
    {
      fromPosition: readPositionOf(after),
      requiresLeader: true,
      filter:
        'regex' in filter ? streamNameFilter({ ...window, ...filter }) : streamNameFilter({ ...window, ...filter }),
    },
    { highWaterMark: buffered },
  );
  /** An event of another program becomes `passed`. */
  const messageOf = (recorded: NonNullable<AllStreamResolvedEvent['event']>): Message => {
    const event = isNamedSo(recorded.streamId) ? storedEvent(recorded, ownership) : null;
    return event === null ? { kind: 'passed', position: positionOf(recorded.position) } : { kind: 'event', event };
  };
  let end: ServerSubscription['end'] = null;
  let wake: () => void = () => undefined;
  const ended = (fault: unknown): void => {
    end ??= { fault };
    wake();
  };
  subscription.on('caughtUp', () => void subscription.push({ kind: 'caught-up' }));
  subscription.on('fellBehind', () => void subscription.push({ kind: 'fell-behind' }));
  subscription.on('readable', () => wake());
  subscription.on('error', ended);
  subscription.on('end', () => ended(new Error('the event store ended the subscription')));
  return {
    get end() {
      return end;
    },
    take() {
      // A message pushed above, or an event that the client decoded.
      const received = subscription.read() as AllStreamResolvedEvent | Exclude<Message, { kind: 'event' }> | null;
      if (received === null || 'kind' in received) return received;
      return received.event === undefined ? null : messageOf(received.event);
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
        const timer = ms === null ? undefined : setTimeout(settle, ms, 'silence');
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
