import { Type } from 'typebox';
import {
  CONVERSION_COLUMNS,
  CONVERSION_COUNTS,
  type ConversionsQuestion,
  sumConversions,
} from '../../../projections/conversions/query.ts';
import type { Group, Row, Sums } from '../../../projections/grouping.ts';
import { sumVisits, VISIT_COLUMNS, VISIT_COUNTS } from '../../../projections/visits/query.ts';
import { type Refused, refused } from '../../application/refusal.ts';
import type { ActivityId, LocalDate } from '../../domain/activity/activity.ts';
import { findCity } from '../../domain/activity/cities.ts';
import type { ReadModelStore } from '../../ports/read-model-store.ts';
import type { HttpContext } from '../context.ts';
import { badCursor, readCursor, writeCursor } from '../cursor.ts';
import { CONVERSIONS, CSV, NDJSON, VISITS } from '../declarations/analytics.ts';
import { endpoint } from '../endpoint.ts';
import { bare } from '../envelope.ts';
import * as field from '../fields.ts';
import { form, optional } from '../form.ts';
import { freshEnough } from '../freshness.ts';
import { csv, ndjson } from '../table.ts';

const DEFAULT_LIMIT = 100;

/** GET /api/analytics/conversions: recommendations, and the bookings and visits that came of them. Days are those of UTC. */
export function conversions(context: HttpContext) {
  return report(context, {
    name: 'conversions',
    declaration: CONVERSIONS,
    columns: CONVERSION_COLUMNS,
    counts: CONVERSION_COUNTS,
    sum: sumConversions,
  });
}

/** GET /api/analytics/visits: every verified visit. Days are those of the city. */
export function visits(context: HttpContext) {
  return report(context, {
    name: 'visits',
    declaration: VISITS,
    columns: VISIT_COLUMNS,
    counts: VISIT_COUNTS,
    sum: sumVisits,
  });
}

type Report<Column extends string> = {
  /** Of the projection and of the path. */
  readonly name: string;
  readonly declaration: typeof CONVERSIONS | typeof VISITS;
  readonly columns: readonly Column[];
  readonly counts: readonly string[];
  readonly sum: (readModels: ReadModelStore, collection: string, question: Question<Column>) => Promise<Sums>;
};

type Question<Column> = Omit<ConversionsQuestion, 'groupBy'> & { readonly groupBy: readonly Column[] };

function report<Column extends string>(
  context: HttpContext,
  { name, declaration, columns, counts, sum }: Report<Column>,
) {
  const shape = form({
    from: field.anyDate,
    to: field.anyDate,
    city: field.anyCity,
    activity_id: field.anyActivityId,
    group_by: optional(
      Type.Refine(Type.String({ maxLength: 200 }), (text) => parseColumns(text, columns) !== null),
      `a list, separated by commas, of ${columns.join(', ')}, each at most once`,
    ),
    format: optional(
      Type.Union([Type.Literal('json'), Type.Literal('csv'), Type.Literal('ndjson')], { default: 'json' }),
      'json, csv or ndjson',
    ),
    limit: optional(
      Type.Integer({ minimum: 1, maximum: 1_000, default: DEFAULT_LIMIT }),
      'a whole number from 1 to 1000',
    ),
    // A place in a list of many columns is longer than one in others.
    cursor: optional(Type.String({ maxLength: 2_000 }), 'the next_cursor of an earlier answer'),
  });
  return endpoint(context, declaration, shape, async ({ fields, headers }) => {
    const groupBy = parseColumns(fields.group_by ?? '', columns) ?? [];
    const read = readPlace(fields.cursor, groupBy);
    if (read.kind === 'refused') return read;
    const activityId = fields.activity_id as ActivityId | null;
    if (activityId !== null && context.catalogue.get(activityId) === undefined) {
      return refused(
        'ACTIVITY_NOT_FOUND',
        `activity_id "${activityId}" does not exist; take one from inventory or from group_by=activity_id.`,
      );
    }
    await freshEnough(name, headers, context);
    const sums = await sum(context.readModels, await context.collection(name), {
      from: fields.from as LocalDate | null,
      to: fields.to as LocalDate | null,
      city: fields.city === null ? null : findCity(fields.city),
      activityId,
      groupBy,
      limit: fields.limit ?? DEFAULT_LIMIT,
      after: read.after,
      categoryOf: (id) => context.catalogue.get(id)?.activity.category ?? null,
    });
    if (sums.kind === 'too_many') {
      return refused(
        'INVALID_REQUEST',
        'There is more to add up than one answer may; ask for fewer days with from and to, or for one city.',
      );
    }
    const next = writePlace(sums.next, groupBy);
    const link = next === null ? {} : { link: `<${pathOf(name, fields, next)}>; rel="next"` };
    const header = [...groupBy, ...counts];
    switch (fields.format) {
      case 'csv':
        return bare(csv(header, sums.rows.map(valuesOf)), `${CSV}; charset=utf-8; header=present`, link, headers);
      case 'ndjson':
        return bare(ndjson(objectsOf(header, sums.rows)), NDJSON, link, headers);
      default:
        return { kind: 'data', data: { items: objectsOf(header, sums.rows), next_cursor: next } };
    }
  });
}

/** The names of a list, null where one is unknown or stands in it twice. No list is an empty one. */
function parseColumns<Column extends string>(text: string, known: readonly Column[]): readonly Column[] | null {
  if (text === '') return [];
  const names = text.split(',').map((name) => known.find((column) => column === name.trim()) ?? null);
  return names.includes(null) || new Set(names).size < names.length ? null : names.filter((name) => name !== null);
}

/** A cursor holds the columns too, since a place in another list is none in this one. */
function writePlace(group: Group | null, groupBy: readonly string[]): string | null {
  return writeCursor(group === null ? null : { value: groupBy.join(), id: JSON.stringify(group) });
}

function readPlace(
  text: string | null,
  groupBy: readonly string[],
): { readonly kind: 'place'; readonly after: Group | null } | Refused {
  const read = readCursor(text);
  if (read.kind === 'refused') return read;
  if (read.cursor === null) return { kind: 'place', after: null };
  const after = read.cursor.value === groupBy.join() ? parseGroup(read.cursor.id, groupBy.length) : null;
  return after === null ? badCursor() : { kind: 'place', after };
}

function parseGroup(text: string, size: number): Group | null {
  try {
    const parsed: unknown = JSON.parse(text);
    const values = Array.isArray(parsed) ? (parsed as unknown[]) : [];
    const group = values.filter((value) => value === null || typeof value === 'string');
    return size > 0 && values.length === size && group.length === size ? group : null;
  } catch {
    return null;
  }
}

/** The address of the next page, relative to the host that was asked. */
function pathOf(name: string, fields: Readonly<Record<string, string | number | null>>, cursor: string): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(fields)) if (value !== null) query.set(key, String(value));
  query.set('cursor', cursor);
  return `/api/analytics/${name}?${query.toString()}`;
}

function valuesOf({ group, counts }: Row): (string | number | null)[] {
  return [...group, ...counts];
}

function objectsOf(header: readonly string[], rows: readonly Row[]): Record<string, string | number | null>[] {
  return rows.map((row) => {
    const values = valuesOf(row);
    return Object.fromEntries(header.map((name, index) => [name, values[index] ?? null]));
  });
}
