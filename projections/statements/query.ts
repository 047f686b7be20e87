import type { KeyId } from '../../src/domain/booking/booking.ts';
import type { Cursor, ReadModelStore } from '../../src/ports/read-model-store.ts';
import type { StatementItem, StatementTotal } from './read-model.ts';

/** More than there are currencies. */
const MOST_TOTALS = 100;

export type StatementQuestion = {
  readonly keyId: KeyId;
  /** `YYYY-MM`, in UTC. */
  readonly month: string;
  readonly limit: number;
  readonly after: Cursor | null;
};

export type StatementPage = {
  /** In the order in which they were stored. */
  readonly items: readonly StatementItem[];
  /** Of the whole month, by currency. */
  readonly totals: readonly StatementTotal[];
  readonly next: Cursor | null;
};

/** What was charged and refunded to a key in a month. What is added meanwhile comes behind every cursor. */
export async function readStatement(
  readModels: ReadModelStore,
  collection: string,
  { keyId, month, limit, after }: StatementQuestion,
): Promise<StatementPage> {
  const totals = await readModels.find(collection, { where: { keyId, month, kind: 'total' }, limit: MOST_TOTALS });
  const items = await readModels.find(collection, {
    where: { keyId, month, kind: 'item' },
    sort: { field: 'place', direction: 'asc' },
    limit,
    ...(after === null ? {} : { after }),
  });
  // The documents of this collection are what its projection's fold returned, and each kind is asked for by itself.
  return {
    items: items.items.map(({ doc }) => doc as StatementItem),
    totals: totals.items.map(({ doc }) => doc as StatementTotal),
    next: items.next,
  };
}
