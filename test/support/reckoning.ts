/**
 * Inventory, reckoned a second time: from the catalogue's files as they are written, with a calendar and an arithmetic of
 * its own. Nothing of the service is used, so that what both say alike is not wrong by one mistake made once.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type Hours = { readonly open: string; readonly last_entry: string; readonly close: string };

/** What of an entry decides about its inventory. Days are `MM-DD`, dates `YYYY-MM-DD`, prices in the currency's own units. */
export type Entry = {
  readonly id: string;
  readonly venue: string;
  readonly category: string;
  readonly opening: Readonly<Record<string, Hours | null>>;
  readonly closed_dates: readonly string[];
  readonly seasons: readonly {
    readonly from: string;
    readonly to: string;
    readonly price?: number;
    readonly capacity?: number;
  }[];
  readonly capacity: number;
  readonly price: number;
  readonly confirmation: string;
  readonly cancellation: { readonly free_until_hours: number; readonly percent_kept: number };
  readonly exclusive_to?: string;
  readonly texts: { readonly en: { readonly title: string } };
};

export type CityFile = { readonly city: string; readonly activities: readonly Entry[] };

export type Item = {
  readonly activity_id: string;
  readonly title: string;
  readonly category: string;
  readonly available_slots: number;
  readonly price: number;
  readonly currency: string;
  readonly is_flash_deal: boolean;
  readonly operating_hours: string;
  readonly last_updated: string;
  readonly venue_id: string;
  readonly confirmation: string;
  readonly date: string;
  readonly cancellation_policy: {
    readonly free_until_hours: number;
    readonly percent_kept: number;
    readonly text: string;
  };
};

/** The query's parameters beside city and date, as they are sent. */
export type Filters = {
  readonly date_to?: string;
  readonly activity_id?: string;
  readonly category?: string;
  readonly flash_deals_only?: boolean;
  readonly min_slots?: number;
  readonly max_price?: number;
  readonly limit?: number;
};

/** What has happened to the slots of an activity on a date. */
export type Touched = { readonly taken: number; readonly at: string };

export type Known = {
  /** ISO 8601 UTC, when the catalogue was listed. */
  readonly listedAt: string;
  /** By `<activity id> <date>`. */
  readonly touched: ReadonlyMap<string, Touched>;
};

const ZONES: Readonly<Record<string, readonly [zone: string, currency: string]>> = {
  Bangkok: ['Asia/Bangkok', 'THB'],
  Phuket: ['Asia/Bangkok', 'THB'],
  'Chiang Mai': ['Asia/Bangkok', 'THB'],
  Pattaya: ['Asia/Bangkok', 'THB'],
  Krabi: ['Asia/Bangkok', 'THB'],
  'Ho Chi Minh': ['Asia/Ho_Chi_Minh', 'VND'],
  Hanoi: ['Asia/Ho_Chi_Minh', 'VND'],
  'Da Nang': ['Asia/Ho_Chi_Minh', 'VND'],
  'Nha Trang': ['Asia/Ho_Chi_Minh', 'VND'],
  Bali: ['Asia/Makassar', 'IDR'],
  Jakarta: ['Asia/Jakarta', 'IDR'],
  Yogyakarta: ['Asia/Jakarta', 'IDR'],
  'Kuala Lumpur': ['Asia/Kuala_Lumpur', 'MYR'],
  Penang: ['Asia/Kuala_Lumpur', 'MYR'],
  Langkawi: ['Asia/Kuala_Lumpur', 'MYR'],
  Singapore: ['Asia/Singapore', 'SGD'],
};
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const DEFAULT_LIMIT = 20;

/** The catalogue's files of a directory, in the order of their names. */
export function readCityFiles(directory: string): readonly CityFile[] {
  const names = readdirSync(directory)
    .filter((name) => name.endsWith('.json'))
    .sort();
  return names.map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')) as CityFile);
}

/** The whole `data` of the answer for a city and date; null where nothing is to be had. */
export function reckon(file: CityFile, date: string, nowMs: number, filters: Filters, known: Known): object | null {
  const items = datesBetween(date, filters.date_to ?? date)
    .flatMap((each) => itemsOf(file, each, nowMs, known).sort(inOrder))
    .filter((item) => filters.activity_id === undefined || item.activity_id === filters.activity_id)
    .filter((item) => filters.category === undefined || item.category === filters.category)
    .filter((item) => item.available_slots >= (filters.min_slots ?? 1))
    .filter((item) => filters.max_price === undefined || item.price <= filters.max_price)
    .filter((item) => !filters.flash_deals_only || item.is_flash_deal);
  if (items.length === 0) return null;
  return {
    inventory: items.slice(0, filters.limit ?? DEFAULT_LIMIT),
    metadata: {
      total_results: items.length,
      flash_deals_count: items.filter((item) => item.is_flash_deal).length,
      query_date: date,
      ...(filters.date_to !== undefined && { query_date_to: filters.date_to }),
      city: file.city,
    },
  };
}

/** Everything that is open to everybody in a city on a date, sold out or not, in no order. */
export function itemsOf(file: CityFile, date: string, nowMs: number, known: Known): Item[] {
  return file.activities
    .filter((entry) => entry.exclusive_to === undefined)
    .flatMap((entry) => itemOf(entry, file.city, date, nowMs, known));
}

/** The hours of an entry on a date, null where it is closed. */
function hoursOn(entry: Entry, date: string): Hours | null {
  return entry.closed_dates.includes(date) ? null : (entry.opening[weekdayOf(date)] ?? null);
}

/** Date and time of the clock on the wall in a city, `YYYY-MM-DD` and `HH:MM:SS`. */
export function wallClock(city: string, atMs: number): { readonly date: string; readonly time: string } {
  const parts = new Map(
    wallClockOf(city)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, value]),
  );
  const [year, month, day] = [parts.get('year'), parts.get('month'), parts.get('day')];
  return {
    date: `${year}-${month}-${day}`,
    time: `${parts.get('hour')}:${parts.get('minute')}:${parts.get('second')}`,
  };
}

/** Both dates and those between them. */
function datesBetween(from: string, to: string): readonly string[] {
  const dates = [from];
  for (let date = from; date < to; dates.push(date)) date = dayAfter(date);
  return dates;
}

/** The date so many days later, counted one by one. */
export function daysAfter(date: string, days: number): string {
  let later = date;
  for (let passed = 0; passed < days; passed++) later = dayAfter(later);
  return later;
}

const wallClocks = new Map<string, Intl.DateTimeFormat>();

function wallClockOf(city: string): Intl.DateTimeFormat {
  const [timeZone] = zoneOf(city);
  const format =
    wallClocks.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  wallClocks.set(timeZone, format);
  return format;
}

function itemOf(entry: Entry, city: string, date: string, nowMs: number, known: Known): Item[] {
  const hours = hoursOn(entry, date);
  if (hours === null || tooLate(hours, city, date, nowMs)) return [];
  const [, currency] = zoneOf(city);
  const season = entry.seasons.find(({ from, to }) => daysOfSeason(from, to).has(date.slice(5)));
  const touched = known.touched.get(`${entry.id} ${date}`);
  return [
    {
      activity_id: entry.id,
      title: entry.texts.en.title,
      category: entry.category,
      available_slots: (season?.capacity ?? entry.capacity) - (touched?.taken ?? 0),
      price: inCurrency(season?.price ?? entry.price, currency),
      currency,
      is_flash_deal: false,
      operating_hours: `${hours.open}-${hours.close}`,
      last_updated: touched?.at ?? known.listedAt,
      venue_id: entry.venue,
      confirmation: entry.confirmation,
      date,
      cancellation_policy: { ...entry.cancellation, text: policyInWords(entry.cancellation) },
    },
  ];
}

function policyInWords({ free_until_hours: hours, percent_kept: kept }: Entry['cancellation']): string {
  if (kept === 0) return 'Cancellation is free.';
  const end = hours === 0 ? 'opening' : `${hours} hours before opening`;
  const later = kept === 100 ? 'nothing is refunded' : `${kept}% of the price is kept`;
  return `Free cancellation until ${end} on the date; after that ${later}.`;
}

/** Whether the last entry is over. Only of today can it be, and not where it lies after midnight. */
function tooLate({ open, last_entry }: Hours, city: string, date: string, nowMs: number): boolean {
  const now = wallClock(city, nowMs);
  return date === now.date && last_entry > open && now.time >= `${last_entry}:00`;
}

function inOrder(left: Item, right: Item): number {
  if (left.is_flash_deal !== right.is_flash_deal) return left.is_flash_deal ? -1 : 1;
  if (left.price !== right.price) return left.price - right.price;
  return left.activity_id < right.activity_id ? -1 : 1;
}

/** An amount with as many decimals as ISO 4217 gives its currency. */
function inCurrency(amount: number, currency: string): number {
  const { maximumFractionDigits } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
  return Number(amount.toFixed(maximumFractionDigits));
}

const seasons = new Map<string, ReadonlySet<string>>();

/** Every day of the year, `MM-DD`, from one to another, both in it, over the end of the year where it comes to that. */
function daysOfSeason(from: string, to: string): ReadonlySet<string> {
  const before = seasons.get(`${from} ${to}`);
  if (before !== undefined) return before;
  const days = new Set<string>([to]);
  // So that a February is that of 2024, a leap year: a season may begin or end on its last day.
  const first = from <= to ? `2024-${from}` : `2023-${from}`;
  for (let date = first; date.slice(5) !== to; date = dayAfter(date)) days.add(date.slice(5));
  seasons.set(`${from} ${to}`, days);
  return days;
}

/** By Sakamoto's method. */
function weekdayOf(date: string): string {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  const shift = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4][month - 1] ?? 0;
  const inYear = month < 3 ? year - 1 : year;
  const leapDays = Math.floor(inYear / 4) - Math.floor(inYear / 100) + Math.floor(inYear / 400);
  return WEEKDAYS[(inYear + leapDays + shift + day) % 7] ?? '';
}

function dayAfter(date: string): string {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const length = month === 2 && isLeap ? 29 : (MONTH_LENGTHS[month - 1] ?? 0);
  if (day < length) return written(year, month, day + 1);
  return month < 12 ? written(year, month + 1, 1) : written(year + 1, 1, 1);
}

function written(year: number, month: number, day: number): string {
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

function zoneOf(city: string): readonly [zone: string, currency: string] {
  const zone = ZONES[city];
  if (zone === undefined) throw new Error(`no time zone is known of ${city}`);
  return zone;
}
