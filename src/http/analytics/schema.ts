import { type Static, type TSchema, Type } from 'typebox';
import { CONVERSION_COUNTS } from '../../../projections/conversions/query.ts';
import { REPORT_COLUMNS } from '../../../projections/report.ts';
import { REVENUE_AMOUNTS, REVENUE_COLUMNS, REVENUE_COUNTS } from '../../../projections/statements/query.ts';
import { VISIT_COLUMNS, VISIT_COUNTS } from '../../../projections/visits/query.ts';
import { COUNT, nullable, pageOf } from '../answer-fields.ts';
import { answers, orBare } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { anyExactDate, noCity } from '../dates.ts';
import * as field from '../fields.ts';
import { optional, query, understood } from '../schema.ts';

/** Media types of reports other than the envelope's. */
export const CSV = 'text/csv';
export const NDJSON = 'application/x-ndjson';

export const DEFAULT_LIMIT = 100;

export const CONVERSIONS_ANSWER = orBare(
  [CSV, NDJSON],
  answers(
    pageOf(rowOf('Conversions', REPORT_COLUMNS, CONVERSION_COUNTS)),
    {
      items: [
        { city: 'Bangkok', requests: 120, recommended: 1143, booked: 31, confirmed: 31, visited: 22, cancelled: 0 },
        { city: 'Phuket', requests: 40, recommended: 392, booked: 9, confirmed: 9, visited: 7, cancelled: 0 },
      ],
      next_cursor: null,
    },
    ['ACTIVITY_NOT_FOUND'],
    ['link'],
  ),
);

export const VISITS_ANSWER = orBare(
  [CSV, NDJSON],
  answers(
    pageOf(rowOf('Visits', VISIT_COLUMNS, VISIT_COUNTS)),
    {
      items: [{ day: '2026-11-21', venue_id: 'bkk-bamboo-bar', visits: 9, guests: 19, disputed: 0 }],
      next_cursor: null,
    },
    ['ACTIVITY_NOT_FOUND'],
    ['link'],
  ),
);

export const REVENUE_ANSWER = orBare(
  [CSV, NDJSON],
  answers(
    pageOf(rowOf('Revenue', REVENUE_COLUMNS, REVENUE_COUNTS, REVENUE_AMOUNTS)),
    {
      items: [
        { month: '2026-11', currency: 'SGD', charged: 1240, refunded: 0, retained: 1240, bookings: 9, guests: 21 },
        {
          month: '2026-11',
          currency: 'THB',
          charged: 84_600,
          refunded: 3_900,
          retained: 80_700,
          bookings: 31,
          guests: 70,
        },
      ],
      next_cursor: null,
    },
    ['ACTIVITY_NOT_FOUND'],
    ['link'],
  ),
);

export const conversionsQuery = (context: HttpContext) =>
  reportQuery(REPORT_COLUMNS, { from: '2026-11-01', to: '2026-11-30', group_by: 'city' }, context);

export const visitsQuery = (context: HttpContext) =>
  reportQuery(VISIT_COLUMNS, { from: '2026-11-21', to: '2026-11-21', group_by: 'day,venue_id' }, context);

export const revenueQuery = (context: HttpContext) =>
  reportQuery(REVENUE_COLUMNS, { from: '2026-11-01', to: '2026-11-30', group_by: 'month' }, context);

export type ReportQuery = Static<ReturnType<typeof visitsQuery>['schema']>;

/** Parses a list of columns. Returns null if a name is unknown or repeated. An empty text is an empty list. */
export function parseColumns<Column extends string>(text: string, known: readonly Column[]): readonly Column[] | null {
  if (text === '') return [];
  const names = text.split(',').map((name) => known.find((column) => column === name.trim()) ?? null);
  return names.includes(null) || new Set(names).size < names.length ? null : names.filter((name) => name !== null);
}

function reportQuery(columns: readonly string[], example: object, context: HttpContext) {
  const fields = {
    from: anyExactDate('from', noCity, context),
    to: anyExactDate('to', noCity, context),
    city: field.cityName,
    activity_id: field.anyActivityId,
    group_by: understood(
      optional(
        Type.Refine(Type.String({ maxLength: 200 }), (text) => parseColumns(text, columns) !== null),
        `a list, separated by commas, of ${columns.join(', ')}, each at most once`,
      ),
      (text) => (typeof text === 'string' ? parseColumns(text.toLowerCase(), columns)?.join() : undefined),
    ),
    format: field.choice(['json', 'csv', 'ndjson'], { default: 'json' }),
    limit: field.limit(1_000, DEFAULT_LIMIT),
    // Longer than other cursors: it contains one value per column.
    cursor: optional(Type.String({ maxLength: 2_000 }), 'the next_cursor of an earlier answer'),
  };
  return query(Type.Object(fields, { examples: [example] }), field.rangeRules);
}

/**
 * The `group_by` columns and the counts. The type allows any row, because the request chooses the columns.
 *
 * @param amounts those of the counts that are decimal numbers, and may be below zero
 */
function rowOf($id: string, columns: readonly string[], counts: readonly string[], amounts: readonly string[] = []) {
  const column = Type.Optional(nullable(Type.String()));
  const count = (name: string): TSchema => (amounts.includes(name) ? Type.Number() : COUNT);
  const shape = Type.Object(
    {
      ...Object.fromEntries([...columns, 'title'].map((name) => [name, column])),
      ...Object.fromEntries(counts.map((name) => [name, count(name)])),
    },
    {
      $id,
      description: 'The columns of `group_by`, with the `title` of an `activity_id`, and the counts. Null: unknown.',
    },
  );
  return Type.Unsafe<Readonly<Record<string, string | number | null>>>(shape);
}

const PAGES =
  '`next_cursor` and the header `Link` lead to the next page, if there is one. `format=csv` and `format=ndjson` have no ' +
  'envelope, and only `Link`. The range includes `from` and `to`; without them it covers all days. Analysts see a ' +
  'pseudonym as `key_id`, always the same for a key.';

export const CONVERSIONS_DETAIL = {
  operationId: 'conversions',
  summary: 'Recommendations, and the bookings and visits that followed',
  description: [
    'One row for each group of `group_by`; without it, one row in total. Days are those of UTC. `recommended` counts ' +
      'the activities that were shown, `requests` the answers that showed them: grouped by activity or category, ' +
      'one answer counts in several rows.',
    PAGES,
  ].join('\n\n'),
};

export const VISITS_DETAIL = {
  operationId: 'visits',
  summary: 'Verified visits, and the guests who came',
  description: [
    'One row for each group of `group_by`; without it, one row in total. Days are those of the city. A visit whose ' +
      'booking was refunded in full counts only as `disputed`.',
    PAGES,
  ].join('\n\n'),
};

export const REVENUE_DETAIL = {
  operationId: 'revenue',
  summary: 'Charges and refunds',
  description: [
    'One row for each group of `group_by` and each currency. Days are those of the city, on which the charge or refund ' +
      'was recorded. `retained` is `charged` minus `refunded`. `bookings` and `guests` count confirmations.',
    PAGES,
  ].join('\n\n'),
};
