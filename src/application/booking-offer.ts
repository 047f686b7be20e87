import type { Activity, ActivityId, LocalDate } from '../domain/activity/activity.ts';
import { addDays, type Day, dayOf, daysBetween, localDate, openDates } from '../domain/activity/schedule.ts';
import { type AllotmentId, allotmentId, freeSlots, type Opening } from '../domain/allotment/allotment.ts';
import type { BookingContext } from './booking-context.ts';
import { type Refused, refused } from './refusal.ts';

const ALTERNATIVES = 5;

/** What is asked for, as far as the catalogue and the calendar need to know. */
export type Wish = {
  readonly activityId: string;
  readonly date: LocalDate;
  readonly numAdults: number;
  readonly numChildren: number;
};

export type Offer = {
  readonly kind: 'offer';
  readonly activity: Activity;
  readonly day: Day;
  readonly allotment: AllotmentId;
  readonly opening: Opening;
};

/** What the catalogue and the calendar offer for the date; refuses what needs no look at any stream. */
export function offerOf({ activityId, date }: Wish, { catalogue, clock, limits }: BookingContext): Offer | Refused {
  const entry = catalogue.get(activityId);
  if (entry === undefined || !entry.listed) {
    return refused(
      'ACTIVITY_NOT_FOUND',
      `activity_id "${activityId}" does not exist; take one from recommend or inventory.`,
    );
  }
  const { activity } = entry;
  if (activity.confirmation !== 'instant') {
    return refused(
      'ACTIVITY_UNAVAILABLE',
      `${activity.texts.en.title} is confirmed by the venue on request, which this version cannot do; choose another activity.`,
    );
  }
  const nowMs = clock.nowMs();
  const today = localDate(activity.city, nowMs);
  const latest = addDays(today, limits.daysAhead);
  if (date < today || daysBetween(today, date) > limits.daysAhead) {
    return refused(
      'INVALID_DATE',
      `booking_date ${date} is ${date < today ? 'in the past' : 'too far ahead'}; send a date from ${today} to ${latest} (dates are those of ${activity.city}).`,
      {
        alternatives: openDates(activity, today, nowMs, ALTERNATIVES).map((open) => ({
          activity_id: activityId,
          booking_date: open,
        })),
      },
    );
  }
  const day = dayOf(activity, date);
  if (day === null || nowMs >= day.lastEntryMs) {
    const open = openDates(activity, date, nowMs, ALTERNATIVES);
    const why = day === null ? 'is closed on that date' : 'takes no more guests today';
    return refused(
      'ACTIVITY_UNAVAILABLE',
      `${activity.texts.en.title} ${why}; choose one of the dates in alternatives.`,
      {
        details: `available dates: ${open.join(', ')}`,
        alternatives: open.map((booking_date) => ({ activity_id: activityId, booking_date })),
      },
    );
  }
  const { id, city, currency, cancellation } = activity;
  const { capacity, unitPriceMinor } = day;
  const opening = {
    activityId: id,
    city,
    date,
    capacity,
    unitPriceMinor,
    currency,
    cancellation,
    catalogueRevision: entry.revision,
  };
  return { kind: 'offer', activity, day, allotment: allotmentId(id, date), opening };
}

/** There is no room: how much there is, and on which dates there is more. */
export async function exhausted(asked: Wish, offer: Offer, free: number, context: BookingContext): Promise<Refused> {
  const alternatives = await datesWithRoom(asked, offer, context);
  return refused(
    'INVENTORY_EXHAUSTED',
    `${offer.activity.texts.en.title} has ${free === 0 ? 'no' : `only ${free}`} slots left on ${asked.date} for ${asked.numAdults + asked.numChildren} guests; choose one of the dates in alternatives${free > 0 ? ', or fewer guests' : ''}.`,
    {
      details: `available_slots: ${free}`,
      alternatives,
    },
  );
}

/** The next dates that have room as far as this node knows: a hint, decided by the allotment when it is asked for. */
async function datesWithRoom(
  { date, numAdults, numChildren }: Wish,
  { activity }: Offer,
  { streams, clock, limits }: BookingContext,
) {
  const nowMs = clock.nowMs();
  const found: { activity_id: ActivityId; booking_date: LocalDate; available_slots: number }[] = [];
  for (const open of openDates(activity, addDays(date, 1), nowMs, ALTERNATIVES * 2)) {
    const day = dayOf(activity, open);
    if (day === null || found.length >= ALTERNATIVES) break;
    const id = allotmentId(activity.id, open);
    const known = streams.allotments.peek(id);
    const reply =
      known === undefined
        ? await streams.allotments.read(id, nowMs + limits.responseMs)
        : { kind: 'state' as const, state: known };
    if (reply.kind !== 'state') break;
    const available = freeSlots(reply.state, day.capacity);
    if (available >= numAdults + numChildren)
      found.push({ activity_id: activity.id, booking_date: open, available_slots: available });
  }
  return found;
}
