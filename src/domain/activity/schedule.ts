import { DAY_MS, MINUTE_MS } from '../../eventsourcing/durations.ts';
import type { Activity, LocalDate, OpeningHours, Season } from './activity.ts';
import { type CityName, cityFacts } from './cities.ts';
import { WEEKDAYS, type Weekday } from './vocabulary.ts';

/** One date of an activity's schedule. Times in ms since the epoch, intervals half-open. */
export type Day = {
  readonly date: LocalDate;
  readonly opensAtMs: number;
  /** Exclusive: at this instant entry is over. */
  readonly lastEntryMs: number;
  /** Exclusive: at this instant vouchers of the date have expired. May be after midnight. */
  readonly closesAtMs: number;
  readonly capacity: number;
  readonly unitPriceMinor: number;
};

/** The local date of a city at an instant. */
export function localDate(city: CityName, atMs: number): LocalDate {
  return isoDate(atMs + cityFacts(city).utcOffsetMinutes * MINUTE_MS);
}

/** The date in UTC at an instant. */
export function utcDate(atMs: number): LocalDate {
  return isoDate(atMs);
}

/** The local time of a city at an instant, `HH:MM`. */
export function localTime(city: CityName, atMs: number): string {
  return new Date(atMs + cityFacts(city).utcOffsetMinutes * MINUTE_MS).toISOString().slice(11, 16);
}

/** A real calendar date in the form `YYYY-MM-DD`, or null. */
export function parseLocalDate(text: string): LocalDate | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(ms) || isoDate(ms) !== text ? null : (text as LocalDate);
}

export function addDays(date: LocalDate, days: number): LocalDate {
  return isoDate(utcMidnight(date) + days * DAY_MS);
}

/** Days from one date to another; negative if the second is earlier. */
export function daysBetween(from: LocalDate, to: LocalDate): number {
  return Math.round((utcMidnight(to) - utcMidnight(from)) / DAY_MS);
}

/** The dates of a range, both ends included. */
export function datesIn(from: LocalDate, to: LocalDate): LocalDate[] {
  return Array.from({ length: Math.max(0, daysBetween(from, to) + 1) }, (_, ahead) => addDays(from, ahead));
}

/** The start of a date in the city, ms since the epoch. */
export function midnightMs(city: CityName, date: LocalDate): number {
  return utcMidnight(date) - cityFacts(city).utcOffsetMinutes * MINUTE_MS;
}

/** The schedule of a date; null if the activity is closed. A pure function of the catalogue entry and the date. */
export function dayOf(activity: Activity, date: LocalDate): Day | null {
  const opening = openingOn(activity, date);
  if (opening === null || activity.closedDates.includes(date)) return null;
  const midnight = midnightMs(activity.city, date);
  const at = (time: string): number => midnight + minutesOf(time) * MINUTE_MS;
  const opensAtMs = at(opening.open);
  const afterOpening = (time: string): number => (at(time) > opensAtMs ? at(time) : at(time) + DAY_MS);
  return {
    date,
    opensAtMs,
    lastEntryMs: afterOpening(opening.lastEntry),
    closesAtMs: afterOpening(opening.close),
    ...termsOn(activity, date),
  };
}

/** Capacity and price per person of a date by its season. */
export function termsOn(activity: Activity, date: LocalDate): Pick<Day, 'capacity' | 'unitPriceMinor'> {
  const { seasons } = activity;
  const season =
    seasons.length === 0 ? undefined : seasons.find((candidate) => inSeason(candidate, date.slice('YYYY-'.length)));
  return {
    capacity: season?.capacity ?? activity.capacity,
    unitPriceMinor: season?.priceMinor ?? activity.priceMinor,
  };
}

/** Yields the open days with a last entry in the future, among the `count` dates from `from` on. */
export function* openDays(activity: Activity, from: LocalDate, nowMs: number, count: number): Generator<Day> {
  for (let ahead = 0; ahead < count; ahead++) {
    const day = dayOf(activity, addDays(from, ahead));
    if (day !== null && nowMs < day.lastEntryMs) yield day;
  }
}

/** The opening hours of a date for display: `09:00-18:00`, or `closed`. */
export function operatingHours(activity: Activity, date: LocalDate): string {
  const opening = activity.closedDates.includes(date) ? null : openingOn(activity, date);
  return opening === null ? 'closed' : `${opening.open}-${opening.close}`;
}

export function weekdayOf(date: LocalDate): Weekday {
  const weekday = WEEKDAYS[new Date(utcMidnight(date)).getUTCDay()];
  if (weekday === undefined) throw new Error(`${date} is no date`);
  return weekday;
}

function openingOn(activity: Activity, date: LocalDate): OpeningHours | null {
  return activity.openings[weekdayOf(date)];
}

function inSeason(season: Season, monthDay: string): boolean {
  return season.from <= season.to
    ? monthDay >= season.from && monthDay <= season.to
    : monthDay >= season.from || monthDay <= season.to;
}

function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
}

function utcMidnight(date: LocalDate): number {
  return Date.parse(`${date}T00:00:00Z`);
}

/** Cache of the last formatted date: formatting costs a microsecond, and requests ask for the same few days. */
let written: { readonly day: number; readonly date: LocalDate } = { day: 0, date: '1970-01-01' as LocalDate };

function isoDate(ms: number): LocalDate {
  const day = Math.floor(ms / DAY_MS);
  if (written.day !== day) written = { day, date: new Date(ms).toISOString().slice(0, 10) as LocalDate };
  return written.date;
}
