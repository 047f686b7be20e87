import type { KeyId } from '../../src/domain/ids.ts';
import type { Cursor, ReadModelStore } from '../../src/ports/read-model-store.ts';
import type { Sums } from '../grouping.ts';
import { REPORT_COLUMNS, type ReportQuery, sumReport } from '../report.ts';
import type { StatementItem, StatementTotal } from './read-model.ts';

/** More than the number of currencies. */
const MAX_TOTALS = 100;

type StatementQuery = {
  readonly keyId: KeyId;
  /** `YYYY-MM`, in UTC. */
  readonly month: string;
  readonly limit: number;
  readonly after: Cursor | null;
};

type StatementPage = {
  /** In log order. */
  readonly items: readonly StatementItem[];
  /** Of the whole month, one per currency. */
  readonly totals: readonly StatementTotal[];
  readonly next: Cursor | null;
};

/** The charges and refunds of a key in a month. Items added during paging come after every cursor. */
export async function readStatement(
  readModels: ReadModelStore,
  collection: string,
  { keyId, month, limit, after }: StatementQuery,
): Promise<StatementPage> {
  const totals = await readModels.find(collection, { where: { keyId, month, kind: 'total' }, limit: MAX_TOTALS });
  const items = await readModels.find(collection, {
    where: { keyId, month, kind: 'item' },
    sort: { field: 'place', direction: 'asc' },
    limit,
    ...(after === null ? {} : { after }),
  });
  // Only the projection's fold writes documents to this collection, and each query selects one kind.
  return {
    items: items.items.map(({ doc }) => doc as StatementItem),
    totals: totals.items.map(({ doc }) => doc as StatementTotal),
    next: items.next,
  };
}

export const REVENUE_COLUMNS = [...REPORT_COLUMNS, 'currency'] as const;
export type RevenueColumn = (typeof REVENUE_COLUMNS)[number];

/** In minor units of the row's currency. */
export const REVENUE_AMOUNTS = ['charged', 'refunded', 'retained'] as const;
/** The counts of a row, in this order. */
export const REVENUE_COUNTS = [...REVENUE_AMOUNTS, 'bookings', 'guests'] as const;

/**
 * Sums charges and refunds. Days are local dates of the city.
 *
 * @param query groups by currency, so that no row adds up two of them
 */
export function sumRevenue(
  readModels: ReadModelStore,
  collection: string,
  query: ReportQuery<RevenueColumn>,
): Promise<Sums> {
  return sumReport<StatementItem, 'currency'>(readModels, collection, query, {
    where: { kind: 'item' },
    columns: { currency: (item) => item.currency },
    isCounted: () => true,
    counts: [
      (item) => (item.type === 'charge' ? item.amountMinor : 0),
      (item) => (item.type === 'refund' ? item.amountMinor : 0),
      (item) => (item.type === 'charge' ? item.amountMinor : -item.amountMinor),
      (item) => item.bookings,
      (item) => item.guests,
    ],
  });
}
