import type { Row } from '../../../projections/grouping.ts';
import { bare } from '../envelope.ts';
import { csv, ndjson, type Value } from './csv.ts';
import type { ReportPage } from './report.ts';
import { CSV, NDJSON, type ReportQuery } from './schema.ts';

export function presentReport(page: ReportPage) {
  return { items: objectsOf(page), next_cursor: page.next };
}

/**
 * The page as CSV or NDJSON, without the envelope. The header Link contains the next page.
 *
 * @param asked headers of the request
 */
export function tableOf(page: ReportPage, format: 'csv' | 'ndjson', query: ReportQuery, asked: Headers): Response {
  const { name, header, rows, next } = page;
  const link = next === null ? {} : { link: `<${nextPath(name, query, next)}>; rel="next"` };
  return format === 'csv'
    ? bare(csv(header, rows.map(valuesOf)), `${CSV}; charset=utf-8; header=present`, link, asked)
    : bare(ndjson(objectsOf(page)), NDJSON, link, asked);
}

/** The path of the next page, with its query. */
function nextPath(name: string, query: ReportQuery, cursor: string): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) parameters.set(key, String(value));
  parameters.set('cursor', cursor);
  return `/api/analytics/${name}?${parameters.toString()}`;
}

function valuesOf({ group, counts }: Row): Value[] {
  return [...group, ...counts];
}

/** Rows by activity also have its title. A CSV table keeps to the columns that were asked for. */
function objectsOf({ header, rows, titles }: ReportPage): Record<string, Value>[] {
  return rows.map((row, place) => {
    const values = valuesOf(row);
    const columns = Object.fromEntries(header.map((name, index) => [name, values[index] ?? null]));
    return titles === null ? columns : { ...columns, title: titles[place] ?? null };
  });
}
