import type { Position } from '../../eventsourcing/message.ts';
import type { LogBatch } from '../../ports/event-store.ts';
import { type EventLog, numberOf, positionOf } from './event-log.ts';

type Following = {
  readonly after: Position;
  readonly categories: readonly string[] | null;
  readonly maxBatch: number;
  readonly signal: AbortSignal;
  /** Called after each commit. */
  readonly wakers: Set<() => void>;
};

/** The log after a position, in order and without gaps, and on as it grows, until the signal aborts. */
export async function* subscribeTo(log: EventLog, following: Following): AsyncGenerator<LogBatch> {
  const { categories, maxBatch, signal, wakers } = following;
  let after = numberOf(following.after);
  while (!signal.aborted) {
    const { events, upTo } = log.after(after, categories, maxBatch);
    if (upTo > after) {
      after = upTo;
      yield { events, upTo: positionOf(upTo), caughtUp: upTo >= log.lastPosition() };
      // A long catch-up must not keep the event loop from everything else.
      await new Promise<void>((resolve) => setImmediate(resolve));
      continue;
    }
    await woken(wakers, signal);
  }
}

function woken(wakers: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      wakers.delete(wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    wakers.add(wake);
    signal.addEventListener('abort', wake);
  });
}
