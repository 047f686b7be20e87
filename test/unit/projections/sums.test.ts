import { describe, expect, test } from 'bun:test';
import { type Grouping, sumByGroup } from '../../../projections/grouping.ts';
import { openReadModelStore } from '../../../src/adapters/sqlite/read-model-store.ts';
import type { Page, ReadModelStore } from '../../../src/ports/read-model-store.ts';
import { date } from '../../support/examples.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { sumsAreAsDefined } from './sums.suite.ts';

sumsAreAsDefined(
  'SQLite',
  async () => {
    const directory = temporaryDirectory();
    const store = openReadModelStore(directory.file('read-models.db'));
    return {
      store,
      async [Symbol.asyncDispose]() {
        await store.close();
        directory.remove();
      },
    };
  },
  60,
);

describe('a sum', () => {
  type Doc = { readonly day: string; readonly name: string };
  const BY_NAME: Grouping<Doc> = {
    where: {},
    from: null,
    to: null,
    isCounted: () => true,
    columns: [(doc) => doc.day, (doc) => doc.name],
    sortedByDay: true,
    counts: [() => 1],
    limit: 2,
    after: null,
  };

  /** An endless collection: a thousand documents per page, ten pages per day. Records its queries. */
  function endless() {
    const asked: unknown[] = [];
    const find: ReadModelStore['find'] = async (_collection, { range }): Promise<Page> => {
      asked.push(range);
      const day = `2026-12-${String(Math.floor((asked.length - 1) / 10) % 31).padStart(2, '0')}`;
      const items = Array.from({ length: 1_000 }, (_, index) => ({ id: `${index}`, doc: { day, name: `${index}` } }));
      return { items, next: { value: day, id: '999' } };
    };
    return { find, asked };
  }

  test('reads only the days of its page', async () => {
    const { find, asked } = endless();
    const after = ['2026-12-00', '5'];
    const sums = await sumByGroup({ find }, 'documents', {
      ...BY_NAME,
      from: date('2026-11-30'),
      to: date('2026-12-31'),
      after,
    });
    const rows = ['50', '500'].map((name) => ({ group: ['2026-12-00', name], counts: [10] }));
    expect(sums).toEqual({ kind: 'rows', rows, next: ['2026-12-00', '500'] });
    expect(asked).toEqual(Array.from({ length: 11 }, () => ({ field: 'day', from: '2026-12-00', to: '2027-01-01' })));
  });

  test('over more than a million documents is refused', async () => {
    const { find, asked } = endless();
    expect(await sumByGroup({ find }, 'documents', { ...BY_NAME, sortedByDay: false })).toEqual({ kind: 'too_many' });
    expect(asked).toHaveLength(1_000);
  });
});
