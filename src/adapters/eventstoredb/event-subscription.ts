import { type Position, START } from '../../eventsourcing/message.ts';
import type { LogBatch } from '../../ports/event-store.ts';
import type { Log } from '../../ports/log.ts';
import type { Connection } from './connection.ts';
import { refusalIn } from './faults.ts';
import { gather } from './gather.ts';
import { pause, retryDelayMs } from './patience.ts';
import { readHead } from './reader.ts';
import { openTap } from './tap.ts';

export type Following = {
  readonly after: Position;
  readonly categories: readonly string[] | null;
  readonly maxBatch: number;
  readonly lingerMs: number;
  readonly signal: AbortSignal;
  /** After so long without a word from a live subscription the log's head is looked at. */
  readonly quietMs: number;
  readonly log: Log;
};

/** A server that is catching us up says something after each search window. One that is silent for so long is stuck. */
const STUCK_MS = 15_000;
const SILENT = `said nothing for ${STUCK_MS} ms, nor that it has caught us up, as servers since 23.10 do`;

/**
 * The log after a position, in order and without gaps, and on as it grows, until the signal aborts. The client's
 * subscriptions end with their connection and never come back: each is taken up again after the last event that came.
 * @throws StoreRefused where the server does not let us; EventStoreRefusal where it never will
 */
export async function* subscribeTo(connection: Connection, following: Following): AsyncGenerator<LogBatch> {
  const { signal, log } = following;
  let { after } = following;
  let repetition = 0;
  while (!signal.aborted) {
    try {
      for await (const batch of followOnce(connection, { ...following, after })) {
        after = batch.upTo;
        repetition = 0;
        yield batch;
      }
    } catch (fault) {
      if (signal.aborted) return;
      const refusal = refusalIn(fault);
      if (refusal !== null) throw refusal;
      const retryMs = retryDelayMs(repetition++);
      log.warn('subscription to the event store was dropped', { categories: following.categories, retryMs, fault });
      await pause(retryMs, signal);
    }
  }
}

/**
 * One subscription of the server. Ends without a fault where it has been quiet while the log grew: taken up again, it
 * is caught up at once and so tells how far the log was passed; or it had died without a word, and lives again.
 */
async function* followOnce(connection: Connection, following: Following): AsyncGenerator<LogBatch> {
  const { categories, maxBatch, lingerMs, signal, quietMs } = following;
  let upTo = following.after;
  // Read before the server begins: when it says that it has caught up, it has passed this place.
  const headBefore = await readHead(connection, deadline(signal));
  const tap = openTap(connection, { after: upTo, categories, buffered: maxBatch });
  let [live, toldCaughtUp] = [false, false];
  try {
    while (!signal.aborted) {
      const batch = gather(tap, { upTo, headBefore, live }, maxBatch);
      live = batch.live;
      if (batch.upTo > upTo || batch.caughtUp) {
        upTo = batch.upTo;
        toldCaughtUp = batch.caughtUp;
        if (upTo !== START) yield { events: batch.events, upTo, caughtUp: batch.caughtUp };
        await (live && lingerMs > 0 ? pause(lingerMs, signal) : othersRun());
      } else if (tap.end !== null) {
        throw tap.end.fault;
      } else if ((await tap.wait(live ? quietMs : STUCK_MS, signal)) === 'silence') {
        if (!live) throw new Error(SILENT);
        if ((await readHead(connection, deadline(signal))) > upTo) return;
        if (!toldCaughtUp && upTo !== START) yield { events: [], upTo, caughtUp: true };
        toldCaughtUp = true;
      }
    }
  } finally {
    tap.close();
  }
}

function deadline(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(STUCK_MS)]);
}

function othersRun(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
