import { setTimeout as sleep } from 'node:timers/promises';
import { CheckpointNotInLog, type EventStore, type LogBatch } from '../../ports/event-store.ts';
import { positionOf } from './event-rows.ts';
import type { LogSlice } from './recent-events.ts';
import { beyondEnd } from './row-slices.ts';

/** A growing log: its last position, and the events after a position. */
type GrowingLog = {
  readonly position: number;
  after(position: number, categories: ReadonlySet<string> | null, limit: number): LogSlice;
};

type Following = {
  /** Called after each commit. */
  readonly wakers: Set<() => void>;
  /** Aborts when the store closes. */
  readonly closing: AbortSignal;
};

/**
 * The log after a position, in order and without gaps, followed live until the signal aborts.
 * @throws CheckpointNotInLog if the position is beyond the end of the log
 */
export async function* subscribeTo(
  log: GrowingLog,
  { wakers, closing }: Following,
  options: Parameters<EventStore['subscribe']>[0],
): AsyncGenerator<LogBatch> {
  const { maxBatch = 1_000, lingerMs = 0 } = options;
  const categories = options.categories === undefined ? null : new Set(options.categories);
  const signal = AbortSignal.any([options.signal, closing]);
  let after: number = options.after;
  if (after > log.position) throw new CheckpointNotInLog(beyondEnd(options.after, log.position));
  for (let first = true; !signal.aborted; first = false) {
    const { events, upTo } = log.after(after, categories, maxBatch);
    if (upTo > after || first) {
      after = upTo;
      const caughtUp = upTo >= log.position;
      yield { events, upTo: positionOf(upTo), caughtUp };
      // A long catch-up must not block the event loop.
      if (caughtUp && lingerMs > 0) await sleep(lingerMs, undefined, { signal }).catch(() => undefined);
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
