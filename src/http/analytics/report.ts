import { CONVERSION_COUNTS, sumConversions } from '../../../projections/conversions/query.ts';
import type { Group, Row, Sums } from '../../../projections/grouping.ts';
import { REPORT_COLUMNS, type ReportColumn, type ReportQuery as SumQuery } from '../../../projections/report.ts';
import {
  REVENUE_AMOUNTS,
  REVENUE_COLUMNS,
  REVENUE_COUNTS,
  type RevenueColumn,
  sumRevenue,
} from '../../../projections/statements/query.ts';
import { sumVisits, VISIT_COLUMNS, VISIT_COUNTS, type VisitColumn } from '../../../projections/visits/query.ts';
import { keyPseudonym } from '../../application/identifiers.ts';
import { type Refused, refused } from '../../application/refusal.ts';
import { findCity } from '../../domain/activity/find-place.ts';
import { CURRENCIES, toDecimal } from '../../domain/activity/money.ts';
import type { KeyId } from '../../domain/ids.ts';
import { type Role, sees } from '../../domain/operator/roles.ts';
import type { Digest } from '../../ports/digest.ts';
import type { ReadModelStore } from '../../ports/read-model-store.ts';
import type { HttpContext } from '../context.ts';
import { badCursor, parseCursor, writeCursor } from '../cursor.ts';
import { dateOf } from '../fields.ts';
import { DEFAULT_LIMIT, parseColumns, type ReportQuery } from './schema.ts';

/** Sums of a projection's counts, grouped by any of its columns. */
export type Report<Column extends string> = {
  /** In the path. */
  readonly name: 'conversions' | 'visits' | 'revenue';
  readonly projection: 'conversions' | 'visits' | 'statements';
  readonly columns: readonly Column[];
  /** The column that every row has, whether `group_by` names it or not. */
  readonly always?: Column;
  readonly counts: readonly string[];
  readonly sum: (readModels: ReadModelStore, collection: string, query: SumQuery<Column>) => Promise<Sums>;
  /** A row's counts as the answer shows them. Default: unchanged. */
  readonly present?: (row: Row, groupBy: readonly Column[]) => Row;
};

export const CONVERSIONS: Report<ReportColumn> = {
  name: 'conversions',
  projection: 'conversions',
  columns: REPORT_COLUMNS,
  counts: CONVERSION_COUNTS,
  sum: sumConversions,
};

export const VISITS: Report<VisitColumn> = {
  name: 'visits',
  projection: 'visits',
  columns: VISIT_COLUMNS,
  counts: VISIT_COUNTS,
  sum: sumVisits,
};

/** Charges and refunds: the items of the statements of all keys. */
export const REVENUE: Report<RevenueColumn> = {
  name: 'revenue',
  projection: 'statements',
  columns: REVENUE_COLUMNS,
  always: 'currency',
  counts: REVENUE_COUNTS,
  sum: sumRevenue,
  present({ group, counts }, groupBy) {
    const currency = CURRENCIES.find((known) => known === group[groupBy.indexOf('currency')]);
    if (currency === undefined) throw new Error(`a row of revenue has the currency ${group.join()}`);
    return {
      group,
      counts: counts.map((count, index) => (index < REVENUE_AMOUNTS.length ? toDecimal(count, currency) : count)),
    };
  },
};

export type ReportPage = {
  readonly kind: 'page';
  readonly name: string;
  /** The names of the columns of `group_by`, then of the counts. */
  readonly header: readonly string[];
  readonly rows: readonly Row[];
  /** Of the activity of each row; null without the column `activity_id`. */
  readonly titles: readonly (string | null)[] | null;
  /** The cursor of the next page; null on the last. */
  readonly next: string | null;
};

export async function readReport<Column extends string>(
  { name, projection, columns, always, counts, sum, present }: Report<Column>,
  query: ReportQuery,
  asker: Role,
  context: HttpContext,
): Promise<ReportPage | Refused> {
  const named = parseColumns(query.group_by ?? '', columns) ?? [];
  const groupBy = always === undefined || named.includes(always) ? named : [...named, always];
  const read = readPlace(query.cursor, groupBy);
  if (read.kind === 'refused') return read;
  const activity = query.activity_id === undefined ? null : context.catalogue.get(query.activity_id)?.activity;
  if (activity === undefined) {
    return refused(
      'ACTIVITY_NOT_FOUND',
      `activity_id "${query.activity_id}" does not exist; take one from inventory or from group_by=activity_id.`,
    );
  }
  const sums = await sum(context.readModels, await context.collection(projection), {
    from: query.from === undefined ? null : dateOf(query.from),
    to: query.to === undefined ? null : dateOf(query.to),
    city: query.city === undefined ? null : findCity(query.city),
    activityId: activity === null ? null : activity.id,
    groupBy,
    limit: query.limit ?? DEFAULT_LIMIT,
    after: read.after,
    categoryOf: (id) => context.catalogue.get(id)?.activity.category ?? null,
    keyNameOf: sees(asker, 'keyOfRecommendation') ? (id) => id : pseudonymsOf(context.digest),
  });
  if (sums.kind === 'too_many') {
    return refused(
      'INVALID_REQUEST',
      'There is more to add up than one answer may; ask for fewer days with from and to, or for one city.',
    );
  }
  const next = writePlace(sums.next, groupBy);
  const rows = present === undefined ? sums.rows : sums.rows.map((row) => present(row, groupBy));
  const place = groupBy.findIndex((column) => column === 'activity_id');
  const titleOf = ({ group }: Row) => context.catalogue.get(group[place] ?? '')?.activity.texts.en.title ?? null;
  const titles = place < 0 ? null : rows.map(titleOf);
  return { kind: 'page', name, header: [...groupBy, ...counts], rows, titles, next };
}

/** A report reads many cells of few keys. */
function pseudonymsOf(digest: Digest): (keyId: KeyId) => string {
  const known = new Map<KeyId, string>();
  return (keyId) => {
    const pseudonym = known.get(keyId) ?? keyPseudonym(digest, keyId);
    known.set(keyId, pseudonym);
    return pseudonym;
  };
}

/** A cursor contains the columns, so that it is valid only for the same grouping. */
function writePlace(group: Group | null, groupBy: readonly string[]): string | null {
  return writeCursor(group === null ? null : { value: groupBy.join(), id: JSON.stringify(group) });
}

function readPlace(
  text: string | undefined,
  groupBy: readonly string[],
): { readonly kind: 'place'; readonly after: Group | null } | Refused {
  if (text === undefined) return { kind: 'place', after: null };
  const cursor = parseCursor(text);
  const after = cursor?.value === groupBy.join() ? parseGroup(cursor.id, groupBy.length) : null;
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
