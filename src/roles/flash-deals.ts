import { touchedAllotments } from '../../projections/inventory/query.ts';
import type { Streams } from '../application/streams.ts';
import type { Begun } from '../application/under-lease.ts';
import type { Activity } from '../domain/activity/activity.ts';
import { CITY_NAMES, type CityName } from '../domain/activity/cities.ts';
import { addDays, dayOf, localDate } from '../domain/activity/schedule.ts';
import { type AllotmentId, allotmentId, openingOf, type ReviewDeal } from '../domain/allotment/allotment.ts';
import type { DealPolicy } from '../domain/allotment/deal-policy.ts';
import { reviewDeal } from '../domain/allotment/operate.ts';
import { type Place, termsBySchedule } from '../domain/allotment/terms.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { ReadModelStore } from '../ports/read-model-store.ts';

/** How late the policy may be; what a deal's end means for a price is not: that goes by the clock. */
const INTERVAL_MS = 60_000;
const DECISION_MS = 10_000;

export type FlashDealsContext = {
  readonly streams: Pick<Streams, 'allotments'>;
  readonly catalogue: {
    values(): Iterable<{ readonly activity: Activity; readonly revision: number; readonly listed: boolean }>;
  };
  readonly readModels: Pick<ReadModelStore, 'find' | 'load'>;
  /** The collection that serves a projection's queries now. */
  readonly collection: (projection: string) => Promise<string>;
  readonly policy: DealPolicy;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

/**
 * Starts, deepens and ends flash deals as the policy says (docs/decisions/0042-flash-deals.md). It keeps nothing: what is to
 * be done follows from the time and the dates as they are, and each date decides it once more.
 */
export function runFlashDeals(context: FlashDealsContext): Begun {
  const stopping = new AbortController();
  const running = keepReviewing(context, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

async function keepReviewing(context: FlashDealsContext, signal: AbortSignal): Promise<void> {
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

/** Looks at what can be booked today, and at deals whose end came with the end of yesterday. */
async function reviewCity(city: CityName, context: FlashDealsContext): Promise<void> {
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

/** The dates to which, as far as the read model knows, something is to be done. What counts is their own decision. */
async function dueOn(
  place: Place,
  nowMs: number,
  { catalogue, readModels, collection, policy }: FlashDealsContext,
): Promise<Due[]> {
  const touched = await touchedAllotments(readModels, await collection('inventory'), { ...place, activityId: null });
  const due: Due[] = [];
  for (const { activity, revision, listed } of catalogue.values()) {
    const day = listed && activity.city === place.city ? dayOf(activity, place.date) : null;
    // What only a hotel's guests can book is nobody else's bargain.
    if (day === null || activity.exclusiveTo !== null) continue;
    const opening = openingOf(activity, revision, day);
    const command: ReviewDeal = { type: 'ReviewDeal', policy, lastEntryMs: day.lastEntryMs, nowMs, opening };
    const id = allotmentId(activity.id, place.date);
    if (reviewDeal(command, touched.get(id) ?? { ...termsBySchedule(opening), taken: 0 }).length > 0)
      due.push({ id, command });
  }
  return due;
}
