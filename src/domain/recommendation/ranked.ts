import type { ActivityId, LocalDate } from '../activity/activity.ts';
import { addDays, daysBetween } from '../activity/schedule.ts';
import { type Factors, WHOLE } from './score.ts';

/** An entry of a ranking. Its score follows from its factors (`scoreCenti`) and is not stored. */
export type RankedCandidate = {
  readonly activityId: ActivityId;
  /** The date of price and availability. */
  readonly date: LocalDate;
  readonly factors: Factors;
};

/**
 * A ranking as the context log stores it, by columns, because the event's size limits the speed of recommend. `days`
 * has one digit per id: its date, counted from `from`. `factors` has ten characters per id: five numbers up to 1,000 in
 * base 32, two digits each, in the order of the weights.
 */
export type RankedColumns = {
  readonly from: LocalDate;
  readonly ids: readonly ActivityId[];
  readonly days: string;
  readonly factors: string;
};

/** Bytes of an entry in the event's JSON without its id: quotes and comma, the digit, the factors. */
export const RANKED_ROW_BYTES = 14;

/** Of the numbers in a context log. */
export const RADIX = 32;
const DIGITS = 2;
const FACTORS = 5;

/** @throws RangeError if a date is not one of the ten from `from` on */
export function toColumns(from: LocalDate, ranked: readonly RankedCandidate[]): RankedColumns {
  return {
    from,
    ids: ranked.map(({ activityId }) => activityId),
    days: dayDigits(from, ranked),
    factors: factorDigits(ranked),
  };
}

export function fromColumns({ from, ids, days, factors }: RankedColumns): RankedCandidate[] {
  const numberAt = (row: number, factor: number): number => {
    const start = (row * FACTORS + factor) * DIGITS;
    return Number.parseInt(factors.slice(start, start + DIGITS), RADIX);
  };
  const dates: LocalDate[] = [];
  const dateAfter = (day: number): LocalDate => (dates[day] ??= addDays(from, day));
  return ids.map((activityId, row) => ({
    activityId,
    date: dateAfter(Number(days[row])),
    factors: {
      profile: numberAt(row, 0),
      groundTruth: numberAt(row, 1),
      weather: numberAt(row, 2),
      time: numberAt(row, 3),
      price: numberAt(row, 4),
    },
  }));
}

/** Equal dates follow each other: calculates the digit once per run. */
function dayDigits(from: LocalDate, ranked: readonly RankedCandidate[]): string {
  const text = Buffer.allocUnsafe(ranked.length);
  let before: LocalDate | null = null;
  let days = 0;
  ranked.forEach(({ date }, at) => {
    if (date !== before) days = daysOf(from, date);
    before = date;
    text[at] = DIGIT_CODES[days] ?? 0;
  });
  return text.toString('latin1');
}

function daysOf(from: LocalDate, date: LocalDate): number {
  const days = daysBetween(from, date);
  if (days < 0 || days > 9)
    throw new RangeError(`a ranking covers its first day and the nine after it, not day ${days}`);
  return days;
}

/** Writes bytes and makes one string: many times faster than concatenating a hundred short ones. */
function factorDigits(ranked: readonly RankedCandidate[]): string {
  const text = Buffer.allocUnsafe(ranked.length * FACTORS * DIGITS);
  let at = 0;
  const write = (factor: number): void => {
    if (!(factor >= 0 && factor <= WHOLE && Number.isInteger(factor)))
      throw new RangeError(`a factor is an integer from 0 to ${WHOLE}, not ${factor}`);
    text[at++] = DIGIT_CODES[Math.floor(factor / RADIX)] ?? 0;
    text[at++] = DIGIT_CODES[factor % RADIX] ?? 0;
  };
  for (const { factors } of ranked) {
    write(factors.profile);
    write(factors.groundTruth);
    write(factors.weather);
    write(factors.time);
    write(factors.price);
  }
  return text.toString('latin1');
}

/** ASCII codes of the digits. */
export const DIGIT_CODES = Array.from({ length: RADIX }, (_, digit) => digit.toString(RADIX).charCodeAt(0));
