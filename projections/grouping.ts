import type { ActivityId, LocalDate } from '../src/domain/activity/activity.ts';
import type { CityName } from '../src/domain/activity/cities.ts';
import { addDays } from '../src/domain/activity/schedule.ts';
import type { Category } from '../src/domain/activity/vocabulary.ts';
import type { Cursor, Find, ReadModelStore } from '../src/ports/read-model-store.ts';

/** The values of a row's columns, in the order of the columns. */
export type Group = readonly (string | null)[];

export type Row = { readonly group: Group; readonly counts: readonly number[] };

/** What is asked of a report. */
export type Question<Column extends string> = {
  /** Days, both in the range; whose calendar's, each report says. */
  readonly from: LocalDate | null;
  readonly to: LocalDate | null;
  readonly city: CityName | null;
  readonly activityId: ActivityId | null;
  readonly groupBy: readonly Column[];
  readonly limit: number;
  readonly after: Group | null;
  /** The category that an activity has now; null of one that is not known. */
  readonly categoryOf: (activityId: ActivityId) => Category | null;
};

/** A page of sums in the order of their groups (null, then text by code unit), or more to add up than one answer may. */
export type Sums =
  | { readonly kind: 'rows'; readonly rows: readonly Row[]; readonly next: Group | null }
  | { readonly kind: 'too_many' };

/** What to add up of a collection whose documents have a `day` (YYYY-MM-DD) that never changes. */
export type Grouping<Doc extends object> = {
  readonly where: NonNullable<Find['where']>;
  /** Days, both in the range. */
  readonly from: LocalDate | null;
  readonly to: LocalDate | null;
  /** False for a document that belongs to no row. */
  readonly counted: (doc: Doc) => boolean;
  /** Without any there is one row, of everything, also where there is nothing. */
  readonly columns: readonly ((doc: Doc) => string | null)[];
  /** The first column is the day or a beginning of it. Then days before and behind the page are not looked at. */
  readonly byDay: boolean;
  readonly counts: readonly ((doc: Doc) => number)[];
  readonly limit: number;
  readonly after: Group | null;
};

const DOCUMENTS_AT_ONCE = 1_000;
/** A few seconds of work, between whose pages everything else goes on. */
const MOST_DOCUMENTS = 1_000_000;

/**
 * Sums of a collection's documents by group. Documents are read a thousand at a time and at most two pages of sums are
 * kept, however many there are. Each document is counted once, although others are written meanwhile.
 */
export async function sumByGroup<Doc extends object>(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  grouping: Grouping<Doc>,
): Promise<Sums> {
  const { counted, columns, byDay, counts, limit, after } = grouping;
  const sums = smallestGroups(limit + 1);
  if (columns.length === 0) sums.add({ group: [], counts: counts.map(() => 0) });
  let cursor: Cursor | null = null;
  for (let looked = 0; looked < MOST_DOCUMENTS; looked += DOCUMENTS_AT_ONCE) {
    const page = await readModels.find(collection, {
      ...questionOf(grouping),
      ...(cursor !== null && { after: cursor }),
    });
    for (const item of page.items) {
      // The documents of this collection are what its projection's fold returned.
      const doc = item.doc as Doc;
      if (!counted(doc)) continue;
      const group = columns.map((column) => column(doc));
      if (after !== null && compareGroups(group, after) <= 0) continue;
      if (byDay && sums.fullBefore(group)) return pageOf(sums.rows(), limit);
      sums.add({ group, counts: counts.map((count) => count(doc)) });
    }
    if (page.next === null) return pageOf(sums.rows(), limit);
    cursor = page.next;
    // The thread that answers requests does something else between two pages.
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return { kind: 'too_many' };
}

function questionOf({ where, from, to, byDay, after }: Grouping<never>): Find {
  const begun = byDay ? (after?.[0] ?? null) : null;
  const first = begun !== null && (from === null || begun > from) ? begun : from;
  const range = {
    field: 'day',
    ...(first !== null && { from: first }),
    ...(to !== null && { to: addDays(to, 1) }),
  };
  return { where, range, sort: { field: 'day', direction: 'asc' }, limit: DOCUMENTS_AT_ONCE };
}

function pageOf(rows: readonly Row[], limit: number): Sums {
  const shown = rows.slice(0, limit);
  return { kind: 'rows', rows: shown, next: rows.length > limit ? (shown.at(-1)?.group ?? null) : null };
}

/** Sums of the smallest groups of all that were added, `most` of them. What is larger than those is forgotten. */
function smallestGroups(most: number) {
  const sums = new Map<string, { readonly group: Group; readonly counts: number[] }>();
  let largest: Group | null = null;
  const sorted = () => [...sums.values()].sort((left, right) => compareGroups(left.group, right.group));
  return {
    add({ group, counts }: Row): void {
      if (largest !== null && compareGroups(group, largest) > 0) return;
      const key = JSON.stringify(group);
      const sum = sums.get(key);
      if (sum !== undefined) {
        for (const [index, count] of counts.entries()) sum.counts[index] = (sum.counts[index] ?? 0) + count;
        return;
      }
      sums.set(key, { group, counts: [...counts] });
      if (sums.size <= 2 * most) return;
      const rows = sorted();
      for (const { group: forgotten } of rows.slice(most)) sums.delete(JSON.stringify(forgotten));
      largest = rows[most - 1]?.group ?? null;
    },
    /** True where neither this group nor one with a greater first column can be among them. */
    fullBefore: (group: Group): boolean => largest !== null && compareValues(group[0] ?? null, largest[0] ?? null) > 0,
    rows: (): readonly Row[] => sorted().slice(0, most),
  };
}

function compareGroups(left: Group, right: Group): number {
  for (const [index, value] of left.entries()) {
    const order = compareValues(value, right[index] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}

function compareValues(left: string | null, right: string | null): number {
  if (left === right) return 0;
  if (left === null) return -1;
  return right === null || left > right ? 1 : -1;
}
