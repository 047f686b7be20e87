import { UnknownEvent } from '../eventsourcing/codec.ts';
import { type Position, START } from '../eventsourcing/message.ts';
import type { Projection } from '../eventsourcing/projection.ts';
import type { DecodedFeed } from '../ports/event-store.ts';
import type { Log } from '../ports/log.ts';
import type { ReadModelStore } from '../ports/read-model-store.ts';
import { applyBatch } from './apply-events.ts';
import { resumeFolding } from './checkpoints.ts';
import { pause } from './running.ts';

const MAX_BATCH = 500;
/** Collects events for this time into one batch, so that a document that many of them change is written once. */
const LINGER_MS = 50;
/** Of the batches without an event for this projection, only every 20th stores the checkpoint. */
const QUIET_BATCHES = 20;
const RETRY_MS = 200;
const LONGEST_RETRY_MS = 5_000;

export type Run = {
  readonly projection: Projection<object>;
  readonly collection: string;
  readonly store: DecodedFeed;
  readonly readModels: ReadModelStore;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called when everything up to a position has been applied. */
  readonly advanced: (checkpoint: Position, applied: { readonly events: number; readonly caughtUp: boolean }) => void;
  /** Where to stop: no later event is applied. */
  readonly until?: Position;
  /** Whether other nodes read the checkpoint to wait for a position: then it is stored after every batch. */
  readonly watched?: boolean;
};

/**
 * Applies the log to a collection, from its checkpoint on, until the signal aborts or `until` is reached. After a fault (the
 * store is unavailable, a document cannot be written) it logs and retries from the checkpoint, with back-off.
 * @throws UnknownEvent at an event of a newer release, with everything before it applied
 */
export async function runProjection(run: Run): Promise<void> {
  let retryMs = RETRY_MS;
  while (!run.signal.aborted) {
    try {
      await follow(run, () => {
        retryMs = RETRY_MS;
      });
      return;
    } catch (fault) {
      if (run.signal.aborted) return;
      if (fault instanceof UnknownEvent) throw fault;
      run.log.error('projection stopped by a fault', { collection: run.collection, retryMs, fault });
      await pause(retryMs);
      retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
    }
  }
}

async function follow(run: Run, progressed: () => void): Promise<void> {
  const { projection, collection, store, readModels, signal, until, watched = false } = run;
  const after = await resumeFolding(projection, collection, run);
  if (after === START) run.advanced(START, { events: 0, caughtUp: false });
  if (until !== undefined && after >= until) return;
  const { categories } = projection;
  const reader = `projection ${collection}`;
  const live = { maxBatch: MAX_BATCH, lingerMs: LINGER_MS };
  let quiet = 0;
  for await (const batch of store.subscribe({ after, categories, reader, ...live, signal })) {
    const cut = until !== undefined && batch.upTo > until;
    const events = cut ? batch.decoded.filter((event) => event.position <= until) : batch.decoded;
    const upTo = cut ? until : batch.upTo;
    quiet = events.length > 0 || until !== undefined || watched ? 0 : quiet + 1;
    if (quiet % QUIET_BATCHES === 0) await applyBatch(projection, collection, readModels, { events, upTo });
    progressed();
    run.advanced(upTo, { events: events.length, caughtUp: batch.caughtUp });
    if (until !== undefined && upTo >= until) return;
  }
}
