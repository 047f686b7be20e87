import { touchedAllotments } from '../../../projections/inventory/query.ts';
import type { Streams } from '../../application/streams.ts';
import type { Activity } from '../../domain/activity/activity.ts';
import { CITY_NAMES, type CityName } from '../../domain/activity/cities.ts';
import { addDays, dayOf, localDate } from '../../domain/activity/schedule.ts';
import type { ReviewDeal } from '../../domain/allotment/commands.ts';
import type { DealPolicy } from '../../domain/allotment/deal-policy.ts';
import { reviewDeal } from '../../domain/allotment/decide-terms.ts';
import { dateSchedule } from '../../domain/allotment/events.ts';
import { type CityDate, initialTerms } from '../../domain/allotment/terms.ts';
import { type AllotmentId, allotmentIdOf } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Log } from '../../ports/log.ts';
import type { ReadModelStore } from '../../ports/read-model-store.ts';
import { type Running, runLoop } from '../../runtime/running.ts';

/** Maximum delay of the policy. The end of a deal is not delayed: prices go by the clock. */
const INTERVAL_MS = 60_000;
const DECISION_MS = 10_000;

export type RefreshFlashDealsContext = {
  readonly streams: Pick<Streams, 'allotments'>;
  readonly catalogue: {
    /** The entries of a city, retired ones included. */
    inGroup(
      city: CityName,
    ): Iterable<{ readonly activity: Activity; readonly revision: number; readonly listed: boolean }>;
  };
  readonly readModels: Pick<ReadModelStore, 'find' | 'load'>;
  /** The collection that serves a projection's queries. */
  readonly collection: (projection: string) => Promise<string>;
  readonly policy: DealPolicy;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

/**
 * Starts, deepens and ends flash deals by the policy (docs/decisions/0042-flash-deals.md). It has no state: it computes
 * commands from the time and the read model, and each allotment decides again.
 */
export function runRefreshFlashDeals(context: RefreshFlashDealsContext): Running {
  return runLoop((stopping) => keepReviewing(context, stopping));
}

async function keepReviewing(context: RefreshFlashDealsContext, signal: AbortSignal): Promise<void> {
  const { clock, log } = context;
  while (!signal.aborted) {
    for (const city of CITY_NAMES) {
      try {
        if (!signal.aborted) await reviewCity(city, context);
      } catch (fault) {
        log.error('flash deals could not be reviewed', { city, retryMs: INTERVAL_MS, fault });
      }
    }
    await clock.until(clock.nowMs() + INTERVAL_MS, signal);
  }
}

/** Reviews today's dates, and yesterday's for deals that ended with the day. */
async function reviewCity(city: CityName, context: RefreshFlashDealsContext): Promise<void> {
  const { streams, clock, ids, log } = context;
  const nowMs = clock.nowMs();
  const today = localDate(city, nowMs);
  for (const date of [addDays(today, -1), today]) {
    const due = await dueOn({ city, date }, nowMs, context);
    const cause = {
      correlationId: ids.uuid(),
      causationId: null,
      by: 'flash-deals',
      at: new Date(nowMs).toISOString(),
    };
    const replies = await Promise.all(
      due.map(({ id, command }) => streams.allotments.handle(id, command, cause, nowMs + DECISION_MS)),
    );
    const changed = replies.filter((reply) => reply.kind === 'accepted' && reply.events.length > 0).length;
    if (due.length > 0) log.info('flash deals reviewed', { city, date, due: due.length, changed });
  }
}

type Due = { readonly id: AllotmentId; readonly command: ReviewDeal };

/** The dates that need a review according to the read model. The allotment decides. */
async function dueOn(
  place: CityDate,
  nowMs: number,
  { catalogue, readModels, collection, policy }: RefreshFlashDealsContext,
): Promise<Due[]> {
  const touched = await touchedAllotments(readModels, await collection('inventory'), place);
  const due: Due[] = [];
  for (const { activity, revision, listed } of catalogue.inGroup(place.city)) {
    const day = listed ? dayOf(activity, place.date) : null;
    // No flash deals on activities that only a hotel's guests can book.
    if (day === null || activity.exclusiveTo !== null) continue;
    const schedule = dateSchedule(activity, revision, day);
    const command: ReviewDeal = { type: 'ReviewDeal', policy, lastEntryMs: day.lastEntryMs, nowMs, schedule };
    const id = allotmentIdOf(activity.id, place.date);
    if (reviewDeal(command, touched.get(id) ?? { ...initialTerms(schedule), taken: 0 }).length > 0)
      due.push({ id, command });
  }
  return due;
}
