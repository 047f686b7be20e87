import { Type } from 'typebox';
import { CONVERSION_COLUMNS, CONVERSION_COUNTS } from '../../../projections/conversions/query.ts';
import { VISIT_COLUMNS, VISIT_COUNTS } from '../../../projections/visits/query.ts';
import type { Declaration } from '../endpoint.ts';
import { COUNT, nullable, pageOf } from '../schemas.ts';

/** The media types of reports beside the envelope's. */
export const CSV = 'text/csv';
export const NDJSON = 'application/x-ndjson';

const PAGES =
  'Where there is more, `next_cursor` and the header `Link` lead to the next page; `format=csv` and `format=ndjson` are without ' +
  'the envelope, and have `Link` only. `from` and `to` both belong to the range; without them it is all there is.';

const CONVERSION = rowOf('Conversions', CONVERSION_COLUMNS, CONVERSION_COUNTS);
const VISITS_ROW = rowOf('Visits', VISIT_COLUMNS, VISIT_COUNTS);

export const CONVERSIONS = {
  by: 'operator',
  least: 'analyst',
  id: 'conversions',
  tag: 'Analytics',
  summary: 'Recommendations, and the bookings and visits of them',
  description: [
    'One row for each group of `group_by`, or one of everything. Days are those of UTC. `recommended` counts activities that ' +
      'were shown, `requests` the answers they were shown in: where rows are told apart by activity or category, one answer ' +
      'counts in several.',
    PAGES,
  ].join('\n\n'),
  headers: ['x-position'],
  answer: {
    data: pageOf(CONVERSION),
    example: {
      items: [
        { city: 'Bangkok', requests: 120, recommended: 1143, booked: 31, confirmed: 31, visited: 22, cancelled: 0 },
        { city: 'Phuket', requests: 40, recommended: 392, booked: 9, confirmed: 9, visited: 7, cancelled: 0 },
      ],
      next_cursor: null,
    },
    bare: [CSV, NDJSON],
    headers: ['link'],
  },
  refusals: ['ACTIVITY_NOT_FOUND'],
  example: { from: '2026-11-01', to: '2026-11-30', group_by: 'city' },
} as const satisfies Declaration;

export const VISITS = {
  by: 'operator',
  least: 'analyst',
  id: 'visits',
  tag: 'Analytics',
  summary: 'Verified visits, and the guests who came',
  description: ['One row for each group of `group_by`, or one of everything. Days are those of the city.', PAGES].join(
    '\n\n',
  ),
  headers: ['x-position'],
  answer: {
    data: pageOf(VISITS_ROW),
    example: { items: [{ day: '2026-11-21', venue_id: 'bkk-bamboo-bar', visits: 9, guests: 19 }], next_cursor: null },
    bare: [CSV, NDJSON],
    headers: ['link'],
  },
  refusals: ['ACTIVITY_NOT_FOUND'],
  example: { from: '2026-11-21', to: '2026-11-21', group_by: 'day,venue_id' },
} as const satisfies Declaration;

/** The columns that were asked for, and the counts. Which they are is decided when they are added up, so the type is any row's. */
function rowOf($id: string, columns: readonly string[], counts: readonly string[]) {
  const column = Type.Optional(nullable(Type.String()));
  const shape = Type.Object(
    {
      ...Object.fromEntries(columns.map((name) => [name, column])),
      ...Object.fromEntries(counts.map((name) => [name, COUNT])),
    },
    { $id, description: 'The columns of `group_by`, and the counts. Null: not known of these.' },
  );
  return Type.Unsafe<Readonly<Record<string, string | number | null>>>(shape);
}
