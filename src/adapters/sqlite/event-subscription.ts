import type { Position } from '../../eventsourcing/message.ts';
import { CheckpointNotInLog, type LogBatch } from '../../ports/event-store.ts';
import { numberOf, positionOf } from './event-rows.ts';
import type { LogSlice } from './recent-events.ts';

/** A growing log: its last position, and the events after a position. */
type GrowingLog = {
  readonly position: number;
  after(position: number, categories: ReadonlySet<string> | null, limit: number): LogSlice;
};

type Following = {
  readonly after: Position;
  readonly categories: ReadonlySet<string> | null;
  readonly maxBatch: number;
  readonly lingerMs: number;
  readonly signal: AbortSignal;
  /** Called after each commit. */
  readonly wakers: Set<() => void>;
};

/**
 * The log after a position, in order and without gaps, followed live until the signal aborts.
 * @throws CheckpointNotInLog if the position is beyond the end of the log
 */
export async function* subscribeTo(log: GrowingLog, following: Following): AsyncGenerator<LogBatch> {
  const { categories, maxBatch, lingerMs, signal, wakers } = following;
  let after = numberOf(following.after);
  if (after > log.position)
    throw new CheckpointNotInLog(`the log ends at ${positionOf(log.position)}, before ${following.after}`);
  while (!signal.aborted) {
    const { events, upTo } = log.after(after, categories, maxBatch);
    if (upTo > after) {
      after = upTo;
      const caughtUp = upTo >= log.position;
      yield { events, upTo: positionOf(upTo), caughtUp };
      // A long catch-up must not block the event loop.
      if (caughtUp && lingerMs > 0) await pause(lingerMs, signal);
      else await new Promise<void>((resolve) => setImmediate(resolve));
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

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
