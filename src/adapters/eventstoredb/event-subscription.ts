import { type Position, START } from '../../eventsourcing/message.ts';
import { CheckpointNotInLog, type LogBatch } from '../../ports/event-store.ts';
import type { Log } from '../../ports/log.ts';
import type { Connection } from './connection.ts';
import { LogReplaced, refusalIn } from './faults.ts';
import type { LogIdentity } from './log-identity.ts';
import { beyondEnd, readHead } from './log-places.ts';
import { nextBatch } from './next-batch.ts';
import { pause, retryDelayMs } from './retry.ts';
import { openServerSubscription } from './server-subscription.ts';
import type { Ownership } from './stored-events.ts';

export type Following = {
  readonly after: Position;
  readonly categories: readonly string[] | null;
  readonly maxBatch: number;
  readonly lingerMs: number;
  readonly signal: AbortSignal;
  /** Name of the reader in log lines. */
  readonly reader: string | null;
  readonly identity: LogIdentity;
  readonly ownership: Ownership;
  readonly log: Log;
};

/** During catch-up the server sends a message after each search window; without one for this long, it is stuck. */
const STUCK_MS = 15_000;
const SILENT = `sent nothing for ${STUCK_MS} ms, not even that the subscription has caught up, as servers since 23.10 do`;

/**
 * The log after a position, in order and without gaps, followed live until the signal aborts. The client's
 * subscriptions end with their connection; each is opened again after the last received event.
 * @throws StoreRefused if the server denies access; EventStoreRefusal if it refuses permanently; CheckpointNotInLog if
 * the position is beyond the end of the log
 */
export async function* subscribeTo(connection: Connection, following: Following): AsyncGenerator<LogBatch> {
  const { signal, log, reader, identity } = following;
  let { after } = following;
  let repetition = 0;
  let behindSinceMs: number | null = null;
  while (!signal.aborted) {
    try {
      if (identity.doubtful) await identity.verify(deadline(signal));
      for await (const batch of followOnce(connection, { ...following, after })) {
        after = batch.upTo;
        repetition = 0;
        behindSinceMs = null;
        yield batch;
      }
    } catch (fault) {
      if (signal.aborted) return;
      // The node reports it and stops, so nothing is read here any more.
      if (fault instanceof LogReplaced) {
        await untilAborted(signal);
        return;
      }
      identity.noteFault();
      const behind = fault instanceof CheckpointNotInLog;
      behindSinceMs = behind ? (behindSinceMs ?? performance.now()) : null;
      // A newly elected leader may not serve the end of the log yet.
      const awaited = behindSinceMs !== null && performance.now() - behindSinceMs < identity.electionMs;
      const refusal = awaited ? null : refusalIn(fault);
      if (refusal !== null) throw refusal;
      const retryMs = retryDelayMs(repetition++);
      log.warn('subscription to the event store was dropped', {
        reader,
        categories: following.categories,
        retryMs,
        fault,
      });
      await pause(retryMs, signal);
    }
  }
}

/**
 * One server subscription. A live one that is silent stays open: a quiet log and a subscription that died without an error
 * look the same here (docs/decisions/0055).
 */
async function* followOnce(connection: Connection, following: Following): AsyncGenerator<LogBatch> {
  const { categories, maxBatch, lingerMs, signal, ownership, identity } = following;
  let upTo = following.after;
  /** The head of the log. After a position beyond it, a server reports `caught up` and never delivers new events. */
  const headNotBefore = async (position: Position): Promise<Position> => {
    const head = await readHead(connection, deadline(signal));
    if (head !== null) identity.saw(head);
    if (position > (head?.position ?? START)) throw new CheckpointNotInLog(beyondEnd(position, head));
    return head?.position ?? START;
  };
  // Read before the subscription begins: a server that reports `caught up` has passed this position.
  const headBefore = await headNotBefore(upTo);
  const subscription = openServerSubscription(connection, { after: upTo, categories, buffered: maxBatch, ownership });
  let live = false;
  try {
    while (!signal.aborted) {
      const batch = nextBatch(subscription, { upTo, headBefore, live }, maxBatch);
      live = batch.live;
      if (batch.upTo > upTo || batch.caughtUp) {
        upTo = batch.upTo;
        const last = batch.events.at(-1);
        if (last !== undefined) identity.saw(last);
        if (batch.caughtUp && upTo > headBefore) await headNotBefore(upTo);
        yield { events: batch.events, upTo, caughtUp: batch.caughtUp };
        await (live && lingerMs > 0 ? pause(lingerMs, signal) : yieldToOthers());
      } else if (subscription.end !== null) {
        throw subscription.end.fault;
      } else if ((await subscription.wait(live ? null : STUCK_MS, signal)) === 'silence') {
        throw new Error(SILENT);
      }
    }
  } finally {
    subscription.close();
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function deadline(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(STUCK_MS)]);
}

function yieldToOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
