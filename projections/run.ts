import { UnknownEvent } from '../src/eventsourcing/codec.ts';
import { type Position, START } from '../src/eventsourcing/message.ts';
import type { Projection } from '../src/eventsourcing/projection.ts';
import type { EventFeed } from '../src/ports/event-store.ts';
import type { Log } from '../src/ports/log.ts';
import type { ReadModelStore } from '../src/ports/read-model-store.ts';
import { applyBatch } from './apply.ts';

const MAX_BATCH = 500;
/** Gathered for so long while following live, so that documents touched often are written once for many events. */
const LINGER_MS = 50;
/** A checkpoint that only passes over events of others is stored once in so many batches. */
const QUIET_BATCHES = 20;
const RETRY_MS = 200;
const LONGEST_RETRY_MS = 5_000;

export type Run = {
  readonly projection: Projection<object>;
  readonly collection: string;
  readonly store: EventFeed;
  readonly readModels: ReadModelStore;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Told when everything up to a position has been applied. */
  readonly advanced: (checkpoint: Position, applied: { readonly events: number; readonly caughtUp: boolean }) => void;
  /** Stop with exactly the events up to here applied. */
  readonly until?: Position;
  /** Whether other nodes look at the checkpoint to see how far this is: then it is stored after every batch. */
  readonly watched?: boolean;
};

/**
 * Keeps a collection up with the log, from its checkpoint on, until the signal aborts or `until` is reached. A fault (the
 * store is away, a document cannot be written) is logged and tried again from the checkpoint, with back-off.
 * @throws UnknownEvent at an event of a newer release: everything before it is applied, and it is not skipped
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
  const after = (await readModels.checkpoint(collection)) ?? START;
  if (until !== undefined && after >= until) return;
  const { categories } = projection;
  let quiet = 0;
  for await (const batch of store.subscribe({ after, categories, maxBatch: MAX_BATCH, lingerMs: LINGER_MS, signal })) {
    const cut = until !== undefined && batch.upTo > until;
    const events = cut ? batch.events.filter((event) => event.position <= until) : batch.events;
    const upTo = cut ? until : batch.upTo;
    quiet = events.length > 0 || until !== undefined || watched ? 0 : quiet + 1;
    if (quiet % QUIET_BATCHES === 0) await applyBatch(projection, collection, readModels, { events, upTo });
    progressed();
    run.advanced(upTo, { events: events.length, caughtUp: batch.caughtUp });
    if (until !== undefined && upTo >= until) return;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
