import type { ActivityId, LocalDate } from '../activity/activity.ts';
import { addDays, daysBetween } from '../activity/schedule.ts';
import { type Factors, WHOLE } from './score.ts';

/** One place of a ranking. Its score follows from its factors (`scoreCenti`), so it is not kept. */
export type RankedCandidate = {
  readonly activityId: ActivityId;
  /** For which date price and availability held. */
  readonly date: LocalDate;
  readonly factors: Factors;
};

/**
 * A ranking as a log keeps it: the size of the event is what limits recommend, so it is written by columns. `days` has
 * one digit for each id: its date, counted from `from`. `factors` has ten characters for each: five numbers up to 1,000 in
 * base 32, two digits each, in the order of the weights.
 */
export type RankedColumns = {
  readonly from: LocalDate;
  readonly ids: readonly ActivityId[];
  readonly days: string;
  readonly factors: string;
};

/** What a place costs in an event's JSON, beside its id: quotes and comma, the digit, the factors. */
export const RANKED_ROW_BYTES = 14;

const RADIX = 32;
const DIGITS = 2;
const FACTORS = 5;

/** @throws RangeError for a date that is not one of the ten from `from` on */
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
  return ids.map((activityId, row) => ({
    activityId,
    date: addDays(from, Number(days[row])),
    factors: {
      profile: numberAt(row, 0),
      groundTruth: numberAt(row, 1),
      weather: numberAt(row, 2),
      time: numberAt(row, 3),
      price: numberAt(row, 4),
    },
  }));
}

/** Dates repeat, and few of them differ: each run of them is counted once. */
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
    throw new RangeError(`a ranking reaches from its first day to the ninth after it, not ${days}`);
  return days;
}

/** Like the days written as bytes that become a string once, which is many times faster than adding up a hundred short ones. */
function factorDigits(ranked: readonly RankedCandidate[]): string {
  const text = Buffer.allocUnsafe(ranked.length * FACTORS * DIGITS);
  let at = 0;
  const write = (factor: number): void => {
    if (!(factor >= 0 && factor <= WHOLE && Number.isInteger(factor)))
      throw new RangeError(`a factor is a whole number from 0 to ${WHOLE}, not ${factor}`);
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

/** The characters of the digits, which are ASCII. */
const DIGIT_CODES = Array.from({ length: RADIX }, (_, digit) => digit.toString(RADIX).charCodeAt(0));
