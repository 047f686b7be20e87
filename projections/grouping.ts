import type { LocalDate } from '../src/domain/activity/activity.ts';
import { addDays } from '../src/domain/activity/schedule.ts';
import type { Cursor, Find, ReadModelStore } from '../src/ports/read-model-store.ts';

/** The values of a row's columns, in the order of the columns. */
export type Group = readonly (string | null)[];

export type Row = { readonly group: Group; readonly counts: readonly number[] };

/** A page of sums, sorted by group (null first, then text by code unit); `too_many` above the document limit. */
export type Sums =
  | { readonly kind: 'rows'; readonly rows: readonly Row[]; readonly next: Group | null }
  | { readonly kind: 'too_many' };

/** How to sum a collection whose documents have a `day` (YYYY-MM-DD) that never changes. */
export type Grouping<Doc extends object> = {
  readonly where: NonNullable<Find['where']>;
  /** Days, both inclusive. */
  readonly from: LocalDate | null;
  readonly to: LocalDate | null;
  /** False excludes a document from all rows. */
  readonly isCounted: (doc: Doc) => boolean;
  /** Without columns the result is one row with the totals, zeros if no document matches. */
  readonly columns: readonly ((doc: Doc) => string | null)[];
  /** True if the first column is `day` or a prefix of it. Then the scan skips the days before and after the page. */
  readonly sortedByDay: boolean;
  readonly counts: readonly ((doc: Doc) => number)[];
  readonly limit: number;
  readonly after: Group | null;
};

const BATCH_SIZE = 1_000;
/** Takes a few seconds. Other requests are served between the batches. */
const MAX_DOCUMENTS = 1_000_000;

/**
 * Sums a collection's documents by group. Reads a thousand documents at a time and keeps at most two pages of sums in
 * memory. Counts each document once, even if others are written during the scan.
 */
export async function sumByGroup<Doc extends object>(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  grouping: Grouping<Doc>,
): Promise<Sums> {
  const { isCounted, columns, sortedByDay, counts, limit, after } = grouping;
  const sums = smallestGroups(limit + 1);
  if (columns.length === 0) sums.add({ group: [], counts: counts.map(() => 0) });
  let cursor: Cursor | null = null;
  for (let scanned = 0; scanned < MAX_DOCUMENTS; scanned += BATCH_SIZE) {
    const page = await readModels.find(collection, {
      ...pageQuery(grouping),
      ...(cursor !== null && { after: cursor }),
    });
    for (const item of page.items) {
      // Only the projection's fold writes documents to this collection.
      const doc = item.doc as Doc;
      if (!isCounted(doc)) continue;
      const group = columns.map((column) => column(doc));
      if (after !== null && compareGroups(group, after) <= 0) continue;
      if (sortedByDay && sums.isPastPage(group)) return pageOf(sums.rows(), limit);
      sums.add({ group, counts: counts.map((count) => count(doc)) });
    }
    if (page.next === null) return pageOf(sums.rows(), limit);
    cursor = page.next;
    // Let the event loop answer other requests between two reads.
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return { kind: 'too_many' };
}

function pageQuery({ where, from, to, sortedByDay, after }: Grouping<never>): Find {
  const cursorDay = sortedByDay ? (after?.[0] ?? null) : null;
  const first = cursorDay !== null && (from === null || cursorDay > from) ? cursorDay : from;
  const range = {
    field: 'day',
    ...(first !== null && { from: first }),
    ...(to !== null && { to: addDays(to, 1) }),
  };
  return { where, range, sort: { field: 'day', direction: 'asc' }, limit: BATCH_SIZE };
}

function pageOf(rows: readonly Row[], limit: number): Sums {
  const shown = rows.slice(0, limit);
  return { kind: 'rows', rows: shown, next: rows.length > limit ? (shown.at(-1)?.group ?? null) : null };
}

/** Keeps the sums of the `most` smallest groups and drops the larger ones. */
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
    /** True if neither this group nor any group with a greater first column can be on the page. */
    isPastPage: (group: Group): boolean => largest !== null && compareValues(group[0] ?? null, largest[0] ?? null) > 0,
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
