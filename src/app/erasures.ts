import { type AppliedErasures, applyErasures } from '../application/booking/apply-erasures.ts';
import type { ErasingContext } from '../application/booking/erasure.ts';
import type { Streams } from '../application/streams.ts';
import type { Config } from '../config.ts';
import { SECOND_MS } from '../eventsourcing/durations.ts';
import type { Position } from '../eventsourcing/message.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import { type Running, runLoop } from '../runtime/running.ts';
import type { Engines, Projections } from './engines.ts';

/** Until the bookings that could not be erased at the start are finished. */
const RETRY_MS = 10 * SECOND_MS;
/** Interval of the line that says that the start waits. */
const WAIT_MS = 5 * SECOND_MS;

type Context = {
  readonly engines: Pick<Engines, 'erasures' | 'passSoon'>;
  readonly projections: Pick<Projections, 'waitFor'>;
  readonly streams: Streams;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

/**
 * Applies the erasures that a restored backup lacks, before the node serves: afterwards no read and no list of this node
 * shows these guests.
 * @throws StoreUnavailable
 */
export async function applyLedger(context: Context, { roles }: Pick<Config, 'roles'>): Promise<Running> {
  const first = await applyOnce(context);
  if (first.position !== null && roles.has('api')) await shownInLists(first.position, context);
  return runLoop(async (signal) => {
    for (let { left } = first; left > 0 && !signal.aborted; ) {
      await context.clock.until(context.clock.nowMs() + RETRY_MS, signal);
      if (signal.aborted) return;
      try {
        ({ left } = await applyOnce(context));
      } catch (fault) {
        context.log.error('erasures not applied', { retryMs: RETRY_MS, fault });
      }
    }
  });
}

async function applyOnce({ engines, log, ...context }: Context): Promise<AppliedErasures> {
  const done = await applyErasures({ ...context, erasures: engines.erasures });
  const { applied, left } = done;
  if (applied + left > 0) log.warn('erasures applied to a restored log', { applied, left });
  return done;
}

async function shownInLists(position: Position, { engines, projections, log }: Context): Promise<void> {
  for (const name of ['bookings', 'guests']) {
    engines.passSoon(position);
    while (!(await projections.waitFor(name, position, WAIT_MS)))
      log.info('start waits for the read models to apply erasures', { projection: name });
  }
}

/** What the answers about an erasure say of this installation. */
export function erasingOf({ guestRetentionMs, eventStore, mail }: Config): Omit<ErasingContext, 'ledger'> {
  return { retentionMs: guestRetentionMs, sharedStores: eventStore !== null, mailsToOutbox: mail.server === null };
}
