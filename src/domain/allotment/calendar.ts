import type { Activity, LocalDate } from '../activity/activity.ts';
import { type Day, dayOf } from '../activity/schedule.ts';
import type { DateCancellationReason } from './cancellation.ts';
import { type DateSchedule, dateSchedule } from './events.ts';
import { effectiveTerms, type FlashDeal, initialTerms, type Terms } from './terms.ts';

export const DATE_STATES = ['open', 'nearly_sold_out', 'sold_out', 'cancelled', 'closed', 'past'] as const;
type DateState = (typeof DATE_STATES)[number];

/** Why nothing is sold on a closed date. */
export const CLOSURES = ['retired', 'not_yet_on_sale', 'closed_date', 'weekday'] as const;
type Closure = (typeof CLOSURES)[number];

/** A date counts as nearly sold out while at most this part of its capacity is free. */
const NEARLY_SOLD_OUT_PERCENT = 10;

/** What an operator sees of one activity on one date. */
export type CalendarDate = {
  readonly date: LocalDate;
  readonly state: DateState;
  /** Null unless the state is `closed`. */
  readonly closure: Closure | null;
  /** 0 on a closed date. */
  readonly capacity: number;
  readonly sold: number;
  /** Null unless the operator cancelled the whole date and has not put it on sale again. */
  readonly cancelledBecause: DateCancellationReason | null;
  /** Slots of open holds. */
  readonly held: number;
  readonly free: number;
  /** Without the deal; null on a closed date. */
  readonly unitPriceMinor: number | null;
  /** A deal that has not ended; it may begin later. */
  readonly deal: FlashDeal | null;
  /** Null on a closed date. */
  readonly schedule: DateSchedule | null;
  readonly setByOperator: readonly ('capacity' | 'price')[];
};

export type AllotmentTerms = Terms & { readonly taken: number; readonly held: number };

/** The part of an allotment that a calendar shows. */
type ShownAllotment = AllotmentTerms & Pick<CalendarDate, 'cancelledBecause'>;

type Entry = { readonly activity: Activity; readonly revision: number; readonly listed: boolean };

/** The present instant (ms since the epoch), and the last date on sale. */
export type OnSale = { readonly nowMs: number; readonly lastDate: LocalDate };

/**
 * A date of an activity's calendar.
 *
 * @param allotment null: the date has no events
 */
export function calendarDate(
  { activity, revision, listed }: Entry,
  date: LocalDate,
  allotment: ShownAllotment | null,
  { nowMs, lastDate }: OnSale,
): CalendarDate {
  const { taken, held, cancelledBecause } = allotment ?? { taken: 0, held: 0, cancelledBecause: null };
  const known = { date, sold: taken - held, held, cancelledBecause };
  const closure = !listed ? 'retired' : date > lastDate ? 'not_yet_on_sale' : null;
  const day = closure === null ? dayOf(activity, date) : null;
  if (day === null) {
    const because = activity.closedDates.includes(date) ? 'closed_date' : 'weekday';
    return { ...known, ...CLOSED, closure: closure ?? because };
  }
  const schedule = dateSchedule(activity, revision, day);
  const terms = allotment ?? initialTerms(schedule);
  const { capacity, unitPriceMinor } = effectiveTerms(terms, schedule);
  const free = Math.max(0, capacity - taken);
  const { deal, setCapacity, setPriceMinor } = terms;
  return {
    ...known,
    state: stateOf(day, capacity, free, cancelledBecause !== null, nowMs),
    closure: null,
    capacity,
    free,
    unitPriceMinor,
    deal: deal === null || nowMs >= deal.expiresAtMs ? null : deal,
    schedule,
    setByOperator: [
      ...(setCapacity === null ? [] : (['capacity'] as const)),
      ...(setPriceMinor === null ? [] : (['price'] as const)),
    ],
  };
}

const CLOSED = {
  state: 'closed',
  capacity: 0,
  free: 0,
  unitPriceMinor: null,
  deal: null,
  schedule: null,
  setByOperator: [],
} as const;

function stateOf({ lastEntryMs }: Day, capacity: number, free: number, cancelled: boolean, nowMs: number): DateState {
  if (nowMs >= lastEntryMs) return 'past';
  if (cancelled) return 'cancelled';
  if (free === 0) return 'sold_out';
  return free * 100 <= capacity * NEARLY_SOLD_OUT_PERCENT ? 'nearly_sold_out' : 'open';
}
