import { type AppliedErasures, applyErasures, applyLeft } from '../application/booking/apply-erasures.ts';
import type { ErasingContext } from '../application/booking/erasure.ts';
import type { Streams } from '../application/streams.ts';
import type { Config } from '../config.ts';
import { MINUTE_MS, SECOND_MS } from '../eventsourcing/durations.ts';
import type { Position } from '../eventsourcing/message.ts';
import type { Clock } from '../ports/clock.ts';
import type { DecodedEventStore } from '../ports/event-store.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import { StoreUnavailable } from '../ports/store-unavailable.ts';
import { type Running, runLoop } from '../runtime/running.ts';
import type { Engines, Projections } from './engines.ts';

/** Until the erasures that were left at the start are tried again. It doubles up to the maximum. */
const RETRY_MS = 10 * SECOND_MS;
const MAX_RETRY_MS = 5 * MINUTE_MS;
/** Interval of the line that says that the start waits. */
const WAIT_MS = 5 * SECOND_MS;

type Context = {
  readonly engines: Pick<Engines, 'erasures' | 'passSoon' | 'replaced'> & {
    readonly stores: { readonly store: Pick<DecodedEventStore, 'read'> };
  };
  readonly projections: Pick<Projections, 'waitFor'>;
  readonly streams: Streams;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

/**
 * Applies the erasures that a restored backup lacks, before the node serves: afterwards no read and no list of this node
 * shows these guests.
 * @throws StoreUnavailable, also if the log is replaced meanwhile
 */
export async function applyLedger(context: Context, { roles }: Pick<Config, 'roles'>): Promise<Running> {
  const { engines, clock, log } = context;
  const applying = { ...context, erasures: engines.erasures, store: engines.stores.store };
  const first = await applyErasures(applying);
  report(first, RETRY_MS, log);
  // Also if another node, or an earlier start, has erased them: this node's lists may be behind.
  if (first.position !== null && roles.has('api')) await shownInLists(first.position, context);
  return runLoop(async (signal) => {
    let { left } = first;
    for (let retryMs = RETRY_MS; left.length > 0; ) {
      await clock.until(clock.nowMs() + retryMs, signal);
      if (signal.aborted) return;
      retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
      try {
        const again = await applyLeft(left, applying);
        report(again, retryMs, log);
        ({ left } = again);
      } catch (fault) {
        log.error('erasures not applied', { retryMs, fault });
      }
    }
  });
}

function report({ applied, left }: AppliedErasures, retryMs: number, log: Log): void {
  if (applied > 0) log.warn('erasures applied to a restored log', { applied });
  if (left.length > 0) log.warn('erasures left', { left: left.length, retryMs });
}

/** @throws StoreUnavailable */
async function shownInLists(position: Position, { engines, projections, log }: Context): Promise<void> {
  for (const name of ['bookings', 'guests']) {
    engines.passSoon(position);
    for (let shown = false; !shown; ) {
      const outcome = await Promise.race([projections.waitFor(name, position, WAIT_MS), engines.replaced]);
      // The new log may never reach the position.
      if (outcome instanceof Error) throw new StoreUnavailable('event store', outcome.message, { cause: outcome });
      shown = outcome;
      if (!shown) log.info('start waits for the read models to apply erasures', { projection: name });
    }
  }
}

/** What the answers about an erasure say of this installation. */
export function erasingOf({ guestRetentionMs, eventStore, mail }: Config): Omit<ErasingContext, 'ledger'> {
  return { retentionMs: guestRetentionMs, sharedStores: eventStore !== null, mailsToOutbox: mail.server === null };
}
