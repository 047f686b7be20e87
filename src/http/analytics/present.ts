import type { Row } from '../../../projections/grouping.ts';
import { bare } from '../envelope.ts';
import { csv, ndjson, type Value } from './csv.ts';
import type { ReportPage } from './report.ts';
import { CSV, NDJSON, type ReportQuery } from './schema.ts';

export function presentReport({ header, rows, next }: ReportPage) {
  return { items: objectsOf(header, rows), next_cursor: next };
}

/**
 * The page as CSV or NDJSON, without the envelope. The header Link contains the next page.
 *
 * @param asked headers of the request
 */
export function tableOf(
  { name, header, rows, next }: ReportPage,
  format: 'csv' | 'ndjson',
  query: ReportQuery,
  asked: Headers,
): Response {
  const link = next === null ? {} : { link: `<${nextPath(name, query, next)}>; rel="next"` };
  return format === 'csv'
    ? bare(csv(header, rows.map(valuesOf)), `${CSV}; charset=utf-8; header=present`, link, asked)
    : bare(ndjson(objectsOf(header, rows)), NDJSON, link, asked);
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

function objectsOf(header: readonly string[], rows: readonly Row[]): Record<string, Value>[] {
  return rows.map((row) => {
    const values = valuesOf(row);
    return Object.fromEntries(header.map((name, index) => [name, values[index] ?? null]));
  });
}
