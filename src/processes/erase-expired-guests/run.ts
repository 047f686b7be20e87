import { endedBefore } from '../../../projections/retention/query.ts';
import type { Streams } from '../../application/streams.ts';
import { endedAtMs } from '../../domain/booking/retention.ts';
import type { BookingId } from '../../domain/ids.ts';
import { HOUR_MS, SECOND_MS } from '../../eventsourcing/durations.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Log } from '../../ports/log.ts';
import type { Cursor, ReadModelStore } from '../../ports/read-model-store.ts';
import { type Running, runLoop } from '../../runtime/running.ts';

/** Maximum delay of an erasure after its time. */
const INTERVAL_MS = HOUR_MS;
/** After a fault, after a pass that left bookings, and while the read model is behind. */
const RETRY_MS = 60 * SECOND_MS;
/** A step erases so many guests; the pause after it leaves the stores to the requests, and the reaper keeps up. */
const STEP = 100;
const PAUSE_MS = SECOND_MS;
const STEPS_PER_LINE = 10;
const DECISION_MS = 10_000;
const CATCH_UP_MS = 10_000;

/** The cause of the events. */
export const GUEST_RETENTION = 'guest-retention';

export type EraseExpiredGuestsContext = {
  readonly streams: Pick<Streams, 'bookings'>;
  readonly readModels: Pick<ReadModelStore, 'find'>;
  /** The collection that serves a projection's queries. */
  readonly collection: (projection: string) => Promise<string>;
  /** True once the projection has applied what the log holds now; false when it has not within `timeoutMs`. */
  readonly caughtUp: (projection: 'retention', timeoutMs: number) => Promise<boolean>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** How long a guest's data is kept after the booking has ended. */
  readonly retentionMs: number;
};

/**
 * Erases the guests of bookings that ended `retentionMs` ago (docs/decisions/0088). It has no state: the read model lists
 * the bookings that still have a guest, and a pass that was interrupted is continued by the next one, on any node.
 */
export function runEraseExpiredGuests(context: EraseExpiredGuestsContext): Running {
  return runLoop((stopping) => keepErasing(context, stopping));
}

async function keepErasing(context: EraseExpiredGuestsContext, signal: AbortSignal): Promise<void> {
  const { clock, log } = context;
  while (!signal.aborted) {
    let waitMs = INTERVAL_MS;
    try {
      const outcome = await eraseExpired(context, signal);
      if (outcome === null || outcome.left > 0) waitMs = RETRY_MS;
    } catch (fault) {
      waitMs = RETRY_MS;
      log.error('guests could not be erased by retention', { retryMs: waitMs, fault });
    }
    await clock.until(clock.nowMs() + waitMs, signal);
  }
}

type Outcome = { readonly erased: number; readonly left: number };

/** Null if the read model is behind the log. */
async function eraseExpired(context: EraseExpiredGuestsContext, signal: AbortSignal): Promise<Outcome | null> {
  const { readModels, collection, caughtUp, clock, log, retentionMs } = context;
  const beforeMs = clock.nowMs() - retentionMs;
  const endedUntil = new Date(beforeMs).toISOString();
  const total = { erased: 0, left: 0 };
  // While it is filled, it lists all bookings whose guests were erased before, and each of them would be read.
  if (!(await caughtUp('retention', CATCH_UP_MS))) {
    log.warn('retention waits for its read model', { retryMs: RETRY_MS });
    return null;
  }
  let after: Cursor | null = null;
  for (let step = 1; !signal.aborted; step++) {
    const page: Awaited<ReturnType<typeof endedBefore>> = await endedBefore(readModels, await collection('retention'), {
      beforeMs,
      limit: STEP,
      after,
    });
    const outcomes = await Promise.all(page.bookings.map((booking) => eraseGuest(booking, context)));
    total.erased += outcomes.filter((outcome) => outcome === 'erased').length;
    total.left += outcomes.filter((outcome) => outcome === 'left').length;
    after = page.next;
    if (after === null || step % STEPS_PER_LINE === 0)
      if (total.erased + total.left > 0) log.info('guests erased by retention', { ...total, endedUntil });
    if (after === null) break;
    await clock.until(clock.nowMs() + PAUSE_MS, signal);
  }
  return total;
}

/** The read model may be behind, and an erasure cannot be undone: the booking's own state decides. */
async function eraseGuest(booking: BookingId, context: EraseExpiredGuestsContext): Promise<'erased' | 'none' | 'left'> {
  const { streams, clock, ids, retentionMs } = context;
  const nowMs = clock.nowMs();
  const deadlineMs = nowMs + DECISION_MS;
  const read = await streams.bookings.read(booking, deadlineMs);
  if (read.kind !== 'state') return 'left';
  const { state } = read;
  if (state.status === 'none' || state.guestErased || endedAtMs(state) + retentionMs > nowMs) return 'none';
  const at = new Date(nowMs).toISOString();
  const cause = { correlationId: ids.uuid(), causationId: null, by: GUEST_RETENTION, at };
  const command = { type: 'EraseGuest', by: 'system', at } as const;
  const reply = await streams.bookings.handle(booking, command, cause, deadlineMs);
  return reply.kind === 'accepted' ? 'erased' : 'left';
}
