import { CITIES, isCityName } from '../../../domain/activity/cities.ts';
import type { ReportRow } from './figures.ts';

/** What a day of a report is: a date at the city, or in UTC. */
export type Basis = 'local' | 'utc';

const MINUTE_MS = 60_000;
const DATE = 'YYYY-MM-DD'.length;
/** The largest offset: where no city is chosen, the latest date counts. */
const LATEST_OFFSET_MINUTES = Math.max(...Object.values(CITIES).map(({ utcOffsetMinutes }) => utcOffsetMinutes));
/** More bars than a person compares. */
const MOST_BARS = { day: 62, month: 24 };

/** The date by the basis of a report; of no city it is the latest date of all cities. */
export function today(now: Date, basis: Basis, city: string): string {
  const local = isCityName(city) ? CITIES[city].utcOffsetMinutes : LATEST_OFFSET_MINUTES;
  const offset = basis === 'utc' ? 0 : local;
  return new Date(now.getTime() + offset * MINUTE_MS).toISOString().slice(0, DATE);
}

/** @param last the date on which the last 30 days end; an empty text is no bound */
export function periodsUntil(last: string) {
  const [year = 0, month = 1, day = 1] = last.split('-').map(Number);
  const date = (atMs: number): string => new Date(atMs).toISOString().slice(0, DATE);
  return [
    { title: 'All days', from: '', to: '' },
    { title: 'Last 30 days', from: date(Date.UTC(year, month - 1, day - 29)), to: last },
    { title: 'This month', from: date(Date.UTC(year, month - 1, 1)), to: date(Date.UTC(year, month, 0)) },
    { title: 'Last month', from: date(Date.UTC(year, month - 2, 1)), to: date(Date.UTC(year, month - 1, 0)) },
  ];
}

export type Series = {
  /** Every day or month, also those without a row. */
  readonly rows: readonly ReportRow[];
  /** How many there are; `rows` are the last of them. */
  readonly of: number;
};

/**
 * A row for each day or month of the range. Without a bound the range is that of the rows; days to come are left out.
 *
 * @param rows at least one, in the order of time
 */
export function everyDay(
  rows: readonly ReportRow[],
  by: 'day' | 'month',
  { from = '', to = '' }: { readonly from?: string; readonly to?: string },
  latest: string,
): Series {
  const length = by === 'day' ? DATE : 'YYYY-MM'.length;
  const known = new Map(rows.map((row) => [String(row[by]), row]));
  const names = [...known.keys()];
  const first = from === '' ? (names[0] ?? '') : from.slice(0, length);
  const newest = names.at(-1) ?? '';
  const bound = to === '' ? newest : to < latest ? to.slice(0, length) : latest.slice(0, length);
  const end = bound > newest ? bound : newest;
  const dates: string[] = [];
  for (let date = first; date <= end && date !== ''; date = next(date)) dates.push(date);
  const shown = dates.slice(-MOST_BARS[by]);
  return { rows: shown.map((date) => known.get(date) ?? { [by]: date }), of: dates.length };
}

function next(date: string): string {
  const [year = 0, month = 1, day] = date.split('-').map(Number);
  const after = day === undefined ? Date.UTC(year, month, 1) : Date.UTC(year, month - 1, day + 1);
  return new Date(after).toISOString().slice(0, date.length);
}
