import type { InventoryDocument } from '../../../projections/inventory/read-model.ts';
import type { Activity, LocalDate } from '../../domain/activity/activity.ts';
import { type Day, dayOf, midnightMs } from '../../domain/activity/schedule.ts';
import { notOnSale } from '../../domain/activity/understand-date.ts';
import type { AllotmentTerms } from '../../domain/allotment/calendar.ts';
import type { Closing } from '../../domain/allotment/cancellation.ts';
import type { AllotmentRejection } from '../../domain/allotment/commands.ts';
import { lastDealMs } from '../../domain/allotment/deal-policy.ts';
import { setTerms } from '../../domain/allotment/decide-terms.ts';
import { type DateSchedule, dateSchedule } from '../../domain/allotment/events.ts';
import { type Allotment, currentSchedule } from '../../domain/allotment/state.ts';
import { evolveTerms, type FlashDeal, initialTerms, newerSchedule } from '../../domain/allotment/terms.ts';
import { allotmentIdOf } from '../../domain/ids.ts';
import type { Cause, Position } from '../../eventsourcing/message.ts';
import { unknownActivity } from '../activity/unknown-activity.ts';
import type { BookingContext } from '../booking/booking-context.ts';
import { noReply, type Refused, refused } from '../refusal.ts';

export type AllotmentContext = Pick<BookingContext, 'streams' | 'catalogue' | 'clock' | 'limits'>;

/** A date of an activity, as an operator sees it. */
export type AllotmentView = {
  readonly kind: 'allotment';
  /** Capacity, price and policy by the newest known schedule. */
  readonly schedule: DateSchedule;
  readonly allotment: Allotment;
  /** Position of the last event that this request appended; null if it wrote nothing. */
  readonly position: Position | null;
};

/** A date from today on that the activity is open on. */
export type SaleDate = {
  readonly kind: 'date';
  readonly activity: Activity;
  readonly day: Day;
  readonly schedule: DateSchedule;
};

/** An operator's changes of a date. Undefined: unchanged; null: back to the schedule, or no flash deal. */
export type AllotmentChange = {
  readonly capacity: number | null | undefined;
  readonly unitPriceMinor: number | null | undefined;
  readonly deal: Omit<FlashDeal, 'by'> | null | undefined;
  /** As in the command; false for one date alone. */
  readonly keepsCancelled?: boolean;
};

/** Checks that a date can still be sold. */
export function saleDate(
  activityId: string,
  date: LocalDate,
  { catalogue, clock, limits }: AllotmentContext,
): SaleDate | Refused {
  const entry = catalogue.get(activityId);
  if (entry === undefined || !entry.listed) return unknownActivity(activityId, null, catalogue);
  const { activity, revision } = entry;
  const why = notOnSale(date, activity.city, clock.nowMs(), limits.daysAhead);
  if (why !== null) return refused('INVALID_DATE', `date ${date} ${why}.`);
  const day = dayOf(activity, date);
  if (day === null) return closedOn(activity, date);
  return { kind: 'date', activity, day, schedule: dateSchedule(activity, revision, day) };
}

/** Reads a date, past or future. */
export async function readAllotment(
  activityId: string,
  date: LocalDate,
  context: AllotmentContext,
): Promise<AllotmentView | Refused> {
  const entry = context.catalogue.get(activityId);
  if (entry === undefined) return unknownActivity(activityId, null, context.catalogue);
  const { activity, revision } = entry;
  const deadlineMs = context.clock.nowMs() + context.limits.responseMs;
  const reply = await context.streams.allotments.read(allotmentIdOf(activity.id, date), deadlineMs);
  if (reply.kind !== 'state') return noReply(reply);
  const { state: allotment } = reply;
  const day = dayOf(activity, date);
  const current = day === null ? null : dateSchedule(activity, revision, day);
  const schedule = allotment.status === 'open' ? currentSchedule(allotment, current ?? allotment.schedule) : current;
  return schedule === null ? closedOn(activity, date) : { kind: 'allotment', schedule, allotment, position: null };
}

/**
 * Applies an operator's changes of a date, all or none; durable on return.
 *
 * @param deadlineMs ms since the epoch; by default the time of one request from now on
 */
export async function setAllotment(
  { activity, day, schedule }: SaleDate,
  change: AllotmentChange,
  cause: Cause,
  { streams, clock, limits }: AllotmentContext,
  deadlineMs = clock.nowMs() + limits.responseMs,
): Promise<AllotmentView | Refused> {
  const fault = faultOfDeal(change, activity, day, clock.nowMs());
  if (fault !== null) return fault;
  const command = { type: 'SetTerms', ...settingsIn(change), schedule } as const;
  const id = allotmentIdOf(activity.id, day.date);
  const reply = await streams.allotments.handle(id, command, cause, deadlineMs);
  switch (reply.kind) {
    case 'accepted': {
      const { state: allotment, position } = reply;
      return { kind: 'allotment', schedule: currentSchedule(allotment, schedule), allotment, position };
    }
    case 'rejected':
      return termsRejected(reply.rejection, day.date, change);
    default:
      return noReply(reply);
  }
}

/** What the same change would do, by a read of the allotment that may be a moment old. Changes nothing. */
export function previewAllotment(
  { activity, day, schedule }: SaleDate,
  change: AllotmentChange,
  allotment: InventoryDocument | null,
  nowMs: number,
): AllotmentPreview | Refused {
  const fault = faultOfDeal(change, activity, day, nowMs);
  if (fault !== null) return fault;
  const stored = allotment ?? { ...initialTerms(schedule), taken: 0, held: 0 };
  const before = { ...stored, schedule: newerSchedule(stored.schedule, schedule) };
  const decision = setTerms(settingsIn(change), before, allotment === null ? null : closingOf(allotment));
  if (decision.kind === 'accepted')
    return {
      kind: 'preview',
      before,
      after: decision.events.reduce(evolveTerms, before),
      changed: decision.events.length > 0,
    };
  return termsRejected(decision.rejection, day.date, change);
}

export type AllotmentPreview = {
  readonly kind: 'preview';
  readonly before: AllotmentTerms;
  readonly after: AllotmentTerms;
  readonly changed: boolean;
};

function closingOf({ cancellationRuns, cancelledBecause }: InventoryDocument): Closing | null {
  if (cancellationRuns) return 'runs';
  return cancelledBecause === null ? null : 'finished';
}

function settingsIn({ capacity, unitPriceMinor, deal, keepsCancelled = false }: AllotmentChange) {
  return {
    keepsCancelled,
    ...(capacity === undefined ? {} : { capacity }),
    ...(unitPriceMinor === undefined ? {} : { unitPriceMinor }),
    ...(deal === undefined ? {} : { deal }),
  };
}

/** @throws for a rejection that the command has not */
function termsRejected(rejection: AllotmentRejection, date: LocalDate, { capacity }: AllotmentChange): Refused {
  if (rejection.code === 'CANCELLATION_RUNNING') {
    const message = `All bookings of ${date} are being cancelled; set the capacity when the cancellation has finished.`;
    return refused('INVALID_REQUEST', message, { resolution: 'retry_later', retryAfterSeconds: 1 });
  }
  if (rejection.code === 'DATE_CANCELLED') {
    const message = `All bookings of ${date} were cancelled, so a range does not put it on sale again; set the capacity of this date alone.`;
    return refused('INVALID_REQUEST', message);
  }
  if (rejection.code !== 'CAPACITY_TAKEN')
    throw new Error(`the allotment of ${date} rejected SetTerms: ${rejection.code}`);
  const { taken, held } = rejection;
  const message = `capacity must be at least ${taken}, the slots of ${date} already taken; it was ${capacity}. Send ${taken} to stop the sale.`;
  return refused('INVALID_REQUEST', message, { details: `taken: ${taken}, of these held: ${held}` });
}

/** Checks that a deal ends in the future and at the last entry at the latest. */
function faultOfDeal({ deal }: AllotmentChange, { city }: Activity, day: Day, nowMs: number): Refused | null {
  if (!deal) return null;
  const { expiresAtMs } = deal;
  const lastMs = lastDealMs({ city, date: day.date, lastEntryMs: day.lastEntryMs });
  const firstMs = Math.max(nowMs, midnightMs(city, day.date));
  if (expiresAtMs > firstMs && expiresAtMs <= lastMs) return null;
  const [first, last, was] = [firstMs, lastMs, expiresAtMs].map((atMs) => new Date(atMs).toISOString());
  const range = firstMs < lastMs ? `after ${first} and at most ${last}` : `before the last entry, which was at ${last}`;
  const message = `flash_deal.expires_at must be ${range}: a deal is valid on ${day.date} until the last entry; it was ${was}.`;
  return refused('INVALID_REQUEST', message);
}

function closedOn(activity: Activity, date: LocalDate): Refused {
  const message = `${activity.texts.en.title} is closed on ${date}; choose a date on which it is open.`;
  return refused('ACTIVITY_UNAVAILABLE', message, { alternatives: [] });
}
