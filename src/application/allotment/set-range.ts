import { allotmentsById } from '../../../projections/inventory/query.ts';
import type { InventoryDocument } from '../../../projections/inventory/read-model.ts';
import type { ActivityId, LocalDate } from '../../domain/activity/activity.ts';
import { datesIn, localTime, midnightMs, weekdayOf } from '../../domain/activity/schedule.ts';
import type { Weekday } from '../../domain/activity/vocabulary.ts';
import type { AllotmentTerms } from '../../domain/allotment/calendar.ts';
import { lastDealMs } from '../../domain/allotment/deal-policy.ts';
import type { DateSchedule } from '../../domain/allotment/events.ts';
import { initialTerms } from '../../domain/allotment/terms.ts';
import { allotmentIdOf } from '../../domain/ids.ts';
import { MINUTE_MS } from '../../eventsourcing/durations.ts';
import { type Cause, latest, type Position } from '../../eventsourcing/message.ts';
import type { ReadModelStore } from '../../ports/read-model-store.ts';
import { type Refused, refused } from '../refusal.ts';
import {
  type AllotmentChange,
  type AllotmentContext,
  previewAllotment,
  type SaleDate,
  saleDate,
  setAllotment,
} from './operate-allotment.ts';

/** Dates that are changed at once: their appends share few durable writes. */
const IN_FLIGHT = 32;

export type RangeContext = AllotmentContext & {
  readonly readModels: Pick<ReadModelStore, 'load'>;
  readonly collection: (projection: string) => Promise<string>;
};

export type DateRange = {
  readonly from: LocalDate;
  readonly to: LocalDate;
  /** Null: every day. */
  readonly weekdays: readonly Weekday[] | null;
};

/** As `AllotmentChange`. A deal ends at a local time of each date; null: at the last entry. */
export type RangeChange = Pick<AllotmentChange, 'capacity' | 'unitPriceMinor'> & {
  readonly deal: { readonly discountPercent: number; readonly untilMinutes: number | null } | null | undefined;
};

/**
 * `closed`: the activity is not open on the date. `refused`: `why` says what to do. `not_done`: the service was too slow, the
 * event store unavailable, or the bookings of the date are being cancelled; the same request changes it later.
 */
export const DATE_RESULTS = ['changed', 'unchanged', 'closed', 'refused', 'not_done'] as const;

export type ChangedDate = {
  readonly date: LocalDate;
  readonly result: (typeof DATE_RESULTS)[number];
  readonly why: string | null;
  readonly schedule: DateSchedule | null;
  /** Only of a dry run. */
  readonly before: AllotmentTerms | null;
  /** Null if nothing is known of the date. */
  readonly after: AllotmentTerms | null;
};

type ChangedRange = {
  readonly kind: 'range';
  readonly dates: readonly ChangedDate[];
  readonly position: Position | null;
};

/** The dates of a range that its weekdays select. */
export function selectedDates({ from, to, weekdays }: DateRange): readonly LocalDate[] {
  return datesIn(from, to).filter((date) => weekdays === null || weekdays.includes(weekdayOf(date)));
}

/** What `setRange` would do, by one read of the read model. Changes nothing. */
export async function previewRange(
  activityId: ActivityId,
  range: DateRange,
  change: RangeChange,
  context: RangeContext,
): Promise<ChangedRange | Refused> {
  const dates = selectedDates(range);
  const ids = dates.map((date) => allotmentIdOf(activityId, date));
  const allotments = await allotmentsById(context.readModels, await context.collection('inventory'), ids);
  const nowMs = context.clock.nowMs();
  const previewed = dates.map((date): ChangedDate => {
    const sale = saleDate(activityId, date, context);
    if (sale.kind === 'refused') return notOnSale(date, sale);
    const allotment = allotments.get(allotmentIdOf(activityId, date)) ?? null;
    const settings = settingsOn(sale, change, nowMs);
    const preview = settings.kind === 'refused' ? settings : previewAllotment(sale, settings, allotment, nowMs);
    const { schedule } = sale;
    if (preview.kind === 'refused') {
      const present = termsOf(allotment, schedule);
      return { date, ...refusalOf(preview), schedule, before: present, after: present };
    }
    const { before, after, changed } = preview;
    return { date, result: changed ? 'changed' : 'unchanged', why: null, schedule, before, after };
  });
  return { kind: 'range', dates: previewed, position: null };
}

/**
 * Applies an operator's changes to each date. Each date is a stream, so dates can be refused while others change. A
 * repetition changes what an interrupted request left; durable on return.
 */
export async function setRange(
  activityId: ActivityId,
  range: DateRange,
  change: RangeChange,
  cause: Cause,
  context: RangeContext,
): Promise<ChangedRange | Refused> {
  const { clock, limits } = context;
  const deadlineMs = clock.nowMs() + limits.responseMs;
  const dates = selectedDates(range);
  const changed: ChangedDate[] = [];
  const positions: (Position | null)[] = [];
  const waiting = dates.values();
  const work = async (): Promise<void> => {
    for (const date of waiting) {
      if (clock.nowMs() >= deadlineMs) {
        changed.push({ ...UNKNOWN, date, result: 'not_done', why: TOO_SLOW });
        continue;
      }
      const outcome = await setDate(activityId, date, change, { cause, deadlineMs }, context);
      changed.push(outcome.changed);
      positions.push(outcome.position);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  changed.sort((left, right) => (left.date < right.date ? -1 : 1));
  return { kind: 'range', dates: changed, position: latest(positions) };
}

const UNKNOWN = { schedule: null, before: null, after: null } as const;
const TOO_SLOW = 'The request took too long; send the same request again.';

async function setDate(
  activityId: ActivityId,
  date: LocalDate,
  change: RangeChange,
  { cause, deadlineMs }: { readonly cause: Cause; readonly deadlineMs: number },
  context: RangeContext,
): Promise<{ readonly changed: ChangedDate; readonly position: Position | null }> {
  const sale = saleDate(activityId, date, context);
  if (sale.kind === 'refused') return { changed: notOnSale(date, sale), position: null };
  const settings = settingsOn(sale, change, context.clock.nowMs());
  const outcome =
    settings.kind === 'refused' ? settings : await setAllotment(sale, settings, cause, context, deadlineMs);
  if (outcome.kind === 'refused') return { changed: { ...UNKNOWN, date, ...refusalOf(outcome) }, position: null };
  const { allotment, schedule, position } = outcome;
  const after = allotment.status === 'open' ? allotment : termsOf(null, schedule);
  const result = position === null ? 'unchanged' : 'changed';
  return { changed: { date, result, why: null, schedule, before: null, after }, position };
}

function termsOf(allotment: InventoryDocument | null, schedule: DateSchedule): AllotmentTerms {
  return allotment ?? { ...initialTerms(schedule), taken: 0, held: 0 };
}

function refusalOf({ refusal: { error: why, retryable } }: Refused): Pick<ChangedDate, 'result' | 'why'> {
  return { result: retryable ? 'not_done' : 'refused', why };
}

function notOnSale(date: LocalDate, { refusal }: Refused): ChangedDate {
  const result = refusal.code === 'ACTIVITY_UNAVAILABLE' ? 'closed' : 'refused';
  return { ...UNKNOWN, date, result, why: refusal.error };
}

/** The change of one date, with the end of its deal. */
function settingsOn(
  { activity, day }: SaleDate,
  { capacity, unitPriceMinor, deal }: RangeChange,
  nowMs: number,
): (AllotmentChange & { readonly kind: 'settings' }) | Refused {
  const { city } = activity;
  const change = { kind: 'settings', capacity, unitPriceMinor, keepsCancelled: true } as const;
  if (!deal) return { ...change, deal };
  const lastMs = lastDealMs({ city, date: day.date, lastEntryMs: day.lastEntryMs });
  const { discountPercent, untilMinutes } = deal;
  const expiresAtMs = untilMinutes === null ? lastMs : midnightMs(city, day.date) + untilMinutes * MINUTE_MS;
  const settings = { ...change, deal: { discountPercent, expiresAtMs } };
  if (expiresAtMs <= lastMs && expiresAtMs > nowMs) return settings;
  const [until, last] = [expiresAtMs, lastMs].map((atMs) => localTime(city, atMs));
  const why = expiresAtMs > lastMs ? `is after the last entry of ${day.date}, ${last}` : `of ${day.date} has passed`;
  const message = `flash_deal.until ${until} ${why}; send an earlier time, or leave it out for the last entry.`;
  return refused('INVALID_REQUEST', message);
}
