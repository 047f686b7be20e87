import type { LocalDate } from './activity.ts';
import type { CityName } from './cities.ts';
import { daysAhead, monthNumber, weekdayNumber } from './date-words.ts';
import { addDays, localDate, parseLocalDate, utcDate } from './schedule.ts';

/** Today in a city, or in UTC if the city is not known. */
export function todayIn(city: CityName | null, nowMs: number): LocalDate {
  return city === null ? utcDate(nowMs) : localDate(city, nowMs);
}

/** For the error of a refused date: `today in Bangkok is 2026-11-23, tomorrow 2026-11-24`. */
export function todayText(city: CityName | null, nowMs: number): string {
  const today = todayIn(city, nowMs);
  return `today in ${city ?? 'UTC'} is ${today}, tomorrow ${addDays(today, 1)}`;
}

/** Longer texts name no date. */
const MOST_CHARACTERS = 60;

/**
 * The error for a field that is not a date, with the dates that it may mean and today's date.
 *
 * @param rule what the field accepts, for instance `a real calendar date as YYYY-MM-DD`
 * @param value undefined: missing
 */
export function notADate(field: string, rule: string, value: unknown, city: CityName | null, nowMs: number): string {
  const today = todayText(city, nowMs);
  if (value === undefined || value === null) return `${field} is missing; it must be ${rule}; ${today}.`;
  const shown = JSON.stringify(value);
  const meant = typeof value === 'string' ? datesNamed(value, city, nowMs) : [];
  const suggestion = meant.length === 0 ? '' : ` (did you mean ${meant.map((date) => `"${date}"`).join(' or ')}?)`;
  const excerpt = shown.length > MOST_CHARACTERS ? `${shown.slice(0, MOST_CHARACTERS - 3)}…` : shown;
  return `${field} must be ${rule}; it was ${excerpt}${suggestion}; ${today}.`;
}

/**
 * Why a date is not on sale, and which dates are, for the error of its field; null if it is on sale.
 *
 * @param horizonDays the last day on sale, in days from today
 */
export function notOnSale(date: LocalDate, city: CityName, nowMs: number, horizonDays: number): string | null {
  const today = todayIn(city, nowMs);
  const latest = addDays(today, horizonDays);
  if (date >= today && date <= latest) return null;
  const why = date < today ? 'is in the past' : 'is too far ahead';
  return `${why}; send a date from ${today} (today in ${city}) to ${latest}`;
}

/** The date that a text names; null if it names none, or if it can be read as two dates (see `datesNamed`). */
export function understandDate(text: string, city: CityName | null, nowMs: number): LocalDate | null {
  const [date, other] = datesNamed(text, city, nowMs);
  return date === undefined || other !== undefined ? null : date;
}

/**
 * All dates that a text can name: none, one or two. Reads `YYYY-MM-DD`, other forms with the year first, `today`,
 * `tomorrow` and weekdays in eight languages, days with an English month, and numbers such as 31/12/2026. A weekday is
 * the next such day, today included. A date-time with a zone is an instant, and counts as the date in the city at that
 * instant; without a zone it counts as the date as written.
 *
 * @param city null: UTC
 */
export function datesNamed(text: string, city: CityName | null, nowMs: number): readonly LocalDate[] {
  const exact = parseLocalDate(text);
  if (exact !== null) return [exact];
  if (text.length > MOST_CHARACTERS) return [];
  const word = readWord(text, todayIn(city, nowMs));
  return word === null ? readForms(plain(text), city) : [word];
}

function plain(text: string): string {
  return text.normalize('NFKC').trim();
}

function readWord(text: string, today: LocalDate): LocalDate | null {
  const days = daysAhead(text);
  if (days !== null) return addDays(today, days);
  const weekday = weekdayNumber(text);
  if (weekday === null) return null;
  return addDays(today, (weekday - new Date(today).getUTCDay() + 7) % 7);
}

const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,]\d{1,9})?)? ?(Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?$/i;
const YEAR_FIRST = /^(\d{4})(?:([-/.])(\d{1,2})\2(\d{1,2})|[年년] ?(\d{1,2})[月월] ?(\d{1,2})[日일]|(\d{2})(\d{2}))$/;
const YEAR_LAST = /^(\d{1,2})([-/. ])(\d{1,2})\2(\d{4})$/;
const DAY_MONTH = /^(\d{1,2})(?:st|nd|rd|th)?[ -]([a-z]{3,9})\.?,?[ -](\d{4})$/i;
const MONTH_DAY = /^([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/i;

function readForms(text: string, city: CityName | null): readonly LocalDate[] {
  const [, written, hours, minutes, seconds = '00', zone] = DATE_TIME.exec(text) ?? [];
  if (written !== undefined) return readDateTime(written, `${hours}:${minutes}:${seconds}`, zone, city);
  const [, year, , ...numbers] = YEAR_FIRST.exec(text) ?? [];
  if (year !== undefined) {
    const [month, day] = numbers.filter((number) => number !== undefined);
    return dates([year, month, day]);
  }
  const [, first, , second, lastYear] = YEAR_LAST.exec(text) ?? [];
  if (lastYear !== undefined) return dates([lastYear, second, first], [lastYear, first, second]);
  const [, dayBefore, monthAfter = '', yearAfter] = DAY_MONTH.exec(text) ?? [];
  if (yearAfter !== undefined) return dates([yearAfter, monthNumber(monthAfter), dayBefore]);
  const [, monthBefore = '', dayAfter, yearOfDay] = MONTH_DAY.exec(text) ?? [];
  return yearOfDay === undefined ? [] : dates([yearOfDay, monthNumber(monthBefore), dayAfter]);
}

function readDateTime(written: string, time: string, zone: string | undefined, city: CityName | null) {
  const date = parseLocalDate(written);
  if (date === null || zone === undefined) return date === null ? [] : [date];
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
  // In another zone the year may have five digits.
  const local = parseLocalDate(todayIn(city, Date.parse(`${date}T${time}${offset}`)));
  return local === null ? [] : [local];
}

type Parts = readonly [year: string, month: string | number | null | undefined, day: string | undefined];

/** The different real dates among several readings. */
function dates(...readings: readonly Parts[]): readonly LocalDate[] {
  const found = readings.map(([year, month, day]) =>
    parseLocalDate(`${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`),
  );
  return [...new Set(found)].filter((date) => date !== null);
}
