import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { guestsProjection } from '../../../projections/guests/projection.ts';
import { searchGuests } from '../../../projections/guests/query.ts';
import { createTable, keyColumnsOf } from '../../../src/adapters/sqlite/read-model-collection.ts';
import { type SqlValue, selectsOf } from '../../../src/adapters/sqlite/read-model-query.ts';
import { guestSearch } from '../../../src/domain/guest/search.ts';
import type { Cursor, Find } from '../../../src/ports/read-model-store.ts';

/** The steps of SQLite's plans of a search. */
async function stepsOf(after: Cursor | null): Promise<string[]> {
  using db = new Database(':memory:');
  createTable(db, 'g', guestsProjection.indexes);
  const search = guestSearch('Ada Lovelace');
  if (search === null) throw new Error('the text is too short');
  const finds: Find[] = [];
  const readModels = {
    async find(_: string, find: Find) {
      finds.push(find);
      return { items: [], next: null };
    },
  };
  await searchGuests(readModels, 'g', { search, select: async () => [], limit: 20, after });
  return finds
    .flatMap((find) => selectsOf('g', find, keyColumnsOf(db, 'g')))
    .flatMap(({ sql, bindings }) =>
      db.query<{ detail: string }, SqlValue[]>(`EXPLAIN QUERY PLAN ${sql}`).all(...bindings, 20),
    )
    .map(({ detail }) => detail);
}

const TABLE = '_g(terms[],recordedAt)';
const DOCUMENT = 'SEARCH g USING INDEX sqlite_autoindex_g_1 (id=?)';

test('SQLite reads a search in the order of the table of terms, and sorts nothing', async () => {
  expect(await stepsOf(null)).toEqual([`SEARCH ${TABLE} USING PRIMARY KEY (text=?)`, DOCUMENT]);
});

test('so it does after a cursor, from its place on', async () => {
  expect(await stepsOf({ value: '2026-11-21T03:00:00.000Z', id: 'bk_1.claim' })).toEqual([
    `SEARCH ${TABLE} USING PRIMARY KEY (text=? AND sort=? AND document<?)`,
    DOCUMENT,
    `SEARCH ${TABLE} USING PRIMARY KEY (text=? AND sort<?)`,
    DOCUMENT,
  ]);
});
