import type { Activity, LocalDate, Opening, Season } from './activity.ts';
import { type CityName, cityFacts } from './cities.ts';
import { WEEKDAYS } from './vocabulary.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** What one date offers by the activity's schedule alone. Times in ms since the epoch, intervals half-open. */
export type Day = {
  readonly date: LocalDate;
  readonly opensAtMs: number;
  /** At this instant it is too late to enter. */
  readonly lastEntryMs: number;
  /** At this instant vouchers of the date have expired. May lie after midnight. */
  readonly closesAtMs: number;
  readonly capacity: number;
  readonly unitPriceMinor: number;
};

/** The date at the city at a moment. */
export function localDate(city: CityName, atMs: number): LocalDate {
  return isoDate(atMs + cityFacts(city).utcOffsetMinutes * MINUTE_MS);
}

/** What the clocks of the city show at a moment, `HH:MM`. */
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

/** Days from one date to another; negative where the second is earlier. */
export function daysBetween(from: LocalDate, to: LocalDate): number {
  return Math.round((utcMidnight(to) - utcMidnight(from)) / DAY_MS);
}

/** The start of a date at the city. */
export function midnightMs(city: CityName, date: LocalDate): number {
  return utcMidnight(date) - cityFacts(city).utcOffsetMinutes * MINUTE_MS;
}

/** What a date offers, null where the activity is closed on it. A pure function of the catalogue entry and the date. */
export function dayOf(activity: Activity, date: LocalDate): Day | null {
  const opening = openingOn(activity, date);
  if (opening === null || activity.closedDates.includes(date)) return null;
  const midnight = midnightMs(activity.city, date);
  const season = activity.seasons.find((candidate) => inSeason(candidate, date.slice(5)));
  const at = (time: string): number => midnight + minutesOf(time) * MINUTE_MS;
  const opensAtMs = at(opening.open);
  const afterOpening = (time: string): number => (at(time) > opensAtMs ? at(time) : at(time) + DAY_MS);
  return {
    date,
    opensAtMs,
    lastEntryMs: afterOpening(opening.lastEntry),
    closesAtMs: afterOpening(opening.close),
    capacity: season?.capacity ?? activity.capacity,
    unitPriceMinor: season?.priceMinor ?? activity.priceMinor,
  };
}

/** The next dates, from one on, that can still be entered at a moment: what a refusal offers instead. */
export function openDates(activity: Activity, from: LocalDate, nowMs: number, count: number): LocalDate[] {
  const dates: LocalDate[] = [];
  for (let ahead = 0; ahead < 60 && dates.length < count; ahead++) {
    const date = addDays(from, ahead);
    const day = dayOf(activity, date);
    if (day !== null && nowMs < day.lastEntryMs) dates.push(date);
  }
  return dates;
}

/** The opening hours of a date as people write them: `09:00-18:00`, or `closed`. */
export function operatingHours(activity: Activity, date: LocalDate): string {
  const opening = activity.closedDates.includes(date) ? null : openingOn(activity, date);
  return opening === null ? 'closed' : `${opening.open}-${opening.close}`;
}

function openingOn(activity: Activity, date: LocalDate): Opening | null {
  const weekday = WEEKDAYS[new Date(utcMidnight(date)).getUTCDay()];
  return weekday === undefined ? null : activity.openings[weekday];
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

/** Nearly everybody asks for the date of the same few days, and writing one costs a microsecond: so the last one is kept. */
let written: { readonly day: number; readonly date: LocalDate } = { day: 0, date: '1970-01-01' as LocalDate };

function isoDate(ms: number): LocalDate {
  const day = Math.floor(ms / DAY_MS);
  if (written.day !== day) written = { day, date: new Date(ms).toISOString().slice(0, 10) as LocalDate };
  return written.date;
}
