import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { keyColumnsOf } from '../../src/adapters/sqlite/read-model-collection.ts';
import { type SqlValue, selectsOf } from '../../src/adapters/sqlite/read-model-query.ts';
import { openReadModelStore } from '../../src/adapters/sqlite/read-model-store.ts';
import type { Find, ReadModelStore } from '../../src/ports/read-model-store.ts';
import { faultOf } from '../support/fault.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { at, BOOKINGS, CITIES, scanned } from './read-model-store/scene.ts';
import { readModelStoreContract } from './read-model-store.suite.ts';

readModelStoreContract('embedded, SQLite', async () => {
  const directory = temporaryDirectory();
  const opened: ReadModelStore[] = [];
  const open = (): ReadModelStore => {
    const store = openReadModelStore(directory.file('read-models.db'));
    opened.push(store);
    return store;
  };
  const closeAll = () => Promise.all(opened.map((store) => store.close()));
  return {
    store: open(),
    async reopen() {
      await closeAll();
      return open();
    },
    openAgain: async () => open(),
    async close() {
      await closeAll();
      directory.remove();
    },
  };
});

describe('read models in SQLite', () => {
  let directory: TemporaryDirectory;
  let store: ReadModelStore;
  /** A connection of another tool. */
  let foreign: Database;

  beforeEach(() => {
    directory = temporaryDirectory();
    store = openReadModelStore(directory.file('read-models.db'));
    foreign = new Database(directory.file('read-models.db'));
  });
  afterEach(async () => {
    foreign.close();
    await store.close();
    directory.remove();
  });

  /** @param form `expressions`: the table has the columns of an earlier release, whose indexes are over expressions */
  async function given(form: 'columns' | 'expressions' = 'columns'): Promise<void> {
    const indexes = [['city', 'price'], ['city', 'size', 'price'], ['price']];
    await store.ensure(BOOKINGS, indexes);
    if (form === 'expressions') {
      using earlier = new Database(directory.file('read-models.db'));
      earlier.run(`DROP TABLE "${BOOKINGS}"`);
      earlier.run(`CREATE TABLE "${BOOKINGS}" (id TEXT PRIMARY KEY NOT NULL, position TEXT NOT NULL, doc TEXT)`);
    }
    const writes = CITIES.map((document) => ({ ...document, position: at(1), loaded: null }));
    expect(await store.commit(BOOKINGS, writes, at(1))).toEqual({ missed: [] });
    // A filled collection gets its indexes.
    await store.ensure(BOOKINGS, indexes);
  }

  test('positions are stored as the texts of earlier releases, which are read', async () => {
    await given();
    const write = { id: 'z', doc: {}, position: at(41), loaded: null };
    await store.commit(BOOKINGS, [write], at(42), { lastEvent: { id: 'e', position: at(41) } });
    expect(foreign.query(`SELECT position FROM "${BOOKINGS}" WHERE id = 'z'`).get()).toEqual({
      position: '0000000000000042',
    });
    const checkpoint = 'SELECT position, event_position FROM _checkpoints';
    const [position, event] = ['0000000000000043', '0000000000000042'];
    expect(foreign.query(checkpoint).get()).toEqual({ position, event_position: event });
    foreign.run("UPDATE _checkpoints SET position = '0000000000000077'");
    expect(await store.checkpoint(BOOKINGS)).toBe(at(76));
    foreign.run("UPDATE _checkpoints SET position = '00000000000000000700/00000000000000000700'");
    expect(await faultOf(() => store.checkpoint(BOOKINGS))).toBeInstanceOf(RangeError);
  });

  /** SQLite's query plan, one line per step. */
  function planOf(query: Find): string[] {
    return selectsOf(BOOKINGS, query, keyColumnsOf(foreign, BOOKINGS)).flatMap(({ sql, bindings }) =>
      foreign
        .query<{ detail: string }, SqlValue[]>(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...bindings, query.limit)
        .map(({ detail }) => detail),
    );
  }

  const CITY_PRICE = `SEARCH ${BOOKINGS} USING INDEX ${BOOKINGS}(city,price)`;
  const CITY_SIZE_PRICE = `SEARCH ${BOOKINGS} USING INDEX ${BOOKINGS}(city,size,price)`;
  const PRICE = `USING INDEX ${BOOKINGS}(price)`;
  const where = { city: 'Hanoi' };
  const asc = { field: 'price', direction: 'asc' } as const;
  const desc = { field: 'price', direction: 'desc' } as const;
  const range = { field: 'price', from: 10, to: 40 };
  const after = { value: 12.5, id: '2' };

  test.each<[string, Omit<Find, 'limit'>, string[]]>([
    ['equality, ascending', { where, sort: asc }, [`${CITY_PRICE} (key_city=?)`]],
    ['equality, descending', { where, sort: desc }, [`${CITY_PRICE} (key_city=?)`]],
    ['null', { where: { city: null }, sort: desc }, [`${CITY_PRICE} (key_city=?)`]],
    [
      'equalities',
      { where: { city: 'Hanoi', size: 2 }, sort: desc },
      [`${CITY_SIZE_PRICE} (key_city=? AND key_size=?)`],
    ],
    [
      'equalities on a whole index',
      { where: { city: 'Hue', price: 1 } },
      [`${CITY_PRICE} (key_city=? AND key_price=?)`],
    ],
    ['range', { where, range, sort: asc }, [`${CITY_PRICE} (key_city=? AND key_price>? AND key_price<?)`]],
    [
      'range without an end',
      { where, range: { field: 'price', from: 1 }, sort: asc },
      [`${CITY_PRICE} (key_city=? AND key_price>? AND key_price<?)`],
    ],
    [
      'equalities and range',
      { where: { city: 'Hanoi', size: 2 }, range, sort: desc },
      [`${CITY_SIZE_PRICE} (key_city=? AND key_size=? AND key_price>? AND key_price<?)`],
    ],
    ['sort alone', { sort: desc }, [`SCAN ${BOOKINGS} ${PRICE}`]],
    [
      'sort alone, after a cursor',
      { sort: desc, after },
      [`SEARCH ${BOOKINGS} ${PRICE} (key_price=? AND id<?)`, `SEARCH ${BOOKINGS} ${PRICE} (key_price<?)`],
    ],
    [
      'equality after a cursor',
      { where, sort: asc, after },
      [`${CITY_PRICE} (key_city=? AND key_price=? AND id>?)`, `${CITY_PRICE} (key_city=? AND key_price>?)`],
    ],
    [
      'range after a cursor',
      { where, range, sort: desc, after },
      [
        `${CITY_PRICE} (key_city=? AND key_price=? AND id<?)`,
        `${CITY_PRICE} (key_city=? AND key_price>? AND key_price<?)`,
      ],
    ],
    ['no sort, after a cursor', { after }, [`SEARCH ${BOOKINGS} USING INDEX sqlite_autoindex_${BOOKINGS}_1 (id>?)`]],
  ])('a find over a declared index neither scans the table nor sorts: %s', async (_, query, plan) => {
    await given();
    expect(planOf({ ...query, limit: 100 })).toEqual(plan);
    await store.drop(BOOKINGS);
    await given('expressions');
    const overExpressions = plan.map((step) => step.replaceAll(/key_[a-z]+/g, '<expr>'));
    expect(planOf({ ...query, limit: 100 })).toEqual(overExpressions);
  });

  test('a table of an earlier release is found and written like one with key columns', async () => {
    const found = async () => {
      const first = await store.find(BOOKINGS, { where: { size: [2, null, true] }, sort: desc, limit: 2 });
      const next = await store.find(BOOKINGS, { sort: asc, limit: 2, after: { value: 12.5, id: '2' } });
      const update = { id: '1', doc: { city: 'Hue', price: 2 }, position: at(2), loaded: at(1) };
      expect(await store.commit(BOOKINGS, [update], at(2))).toEqual({ missed: [] });
      return [first, next, await store.find(BOOKINGS, { where: { city: 'Hue' }, sort: asc, limit: 9 })];
    };
    await given();
    const expected = await found();
    await store.drop(BOOKINGS);
    await given('expressions');
    expect(await found()).toEqual(expected);
  });

  test('a find that merges values searches an index for each, and sorts nothing', async () => {
    await given();
    const plan = planOf({ where: { city: ['Hanoi', 'Hue', 'Bali'] }, merge: 'city', sort: desc, limit: 100 });
    expect(plan.filter((step) => !/^(?:MERGE|LEFT|RIGHT)/.test(step))).toEqual(
      Array.from({ length: 4 }, () => `${CITY_PRICE} (key_city=?)`),
    );
  });

  test('a page of merged values within a range begins at the cursor in the index of each', async () => {
    await given();
    const merged = { where: { city: ['Hanoi', 'Hue'] }, merge: 'city', range: { field: 'price', from: 10 }, sort: asc };
    const plan = planOf({ ...merged, after, limit: 100 });
    expect(plan.filter((step) => !/^(?:MERGE|LEFT|RIGHT)/.test(step))).toEqual([
      ...Array.from({ length: 2 }, () => `${CITY_PRICE} (key_city=? AND key_price=? AND id>?)`),
      ...Array.from({ length: 2 }, () => `${CITY_PRICE} (key_city=? AND key_price>? AND key_price<?)`),
    ]);
  });

  test.each<[Find['sort'], string]>([
    [asc, '>='],
    [desc, '<'],
  ])('after a cursor, a range starts at the cursor: %j', async (sort, hidden) => {
    await given();
    // Of two bounds on one side the planner uses either, and the plan does not show which. It cannot use one after a `+`.
    const [, beyond] = selectsOf(
      BOOKINGS,
      { where, range, ...(sort === undefined ? {} : { sort }), after, limit: 9 },
      keyColumnsOf(foreign, BOOKINGS),
    );
    expect(beyond?.sql.match(/\+\(key_price\) \S+ \?/g)?.map((text) => text.split(' ').at(-2))).toEqual([hidden]);
  });

  test('a tombstone is in no index', async () => {
    await given();
    await store.commit(BOOKINGS, [{ id: '1', doc: null, position: at(2), loaded: at(1) }], at(2));
    const entries = foreign.query(`SELECT name, sum(ncell) FROM dbstat WHERE name GLOB '${BOOKINGS}(*' GROUP BY name`);
    expect(entries.values()).toEqual([
      [`${BOOKINGS}(city,price)`, 6],
      [`${BOOKINGS}(city,size,price)`, 6],
      [`${BOOKINGS}(price)`, 6],
    ]);
  });

  test('tables that ANALYZE creates are not collections', async () => {
    await given();
    foreign.run('ANALYZE');
    expect(await store.collections()).toEqual([BOOKINGS]);
  });

  test('another tool reads a snapshot while the store writes', async () => {
    await given();
    const prices = foreign.query<{ price: number }, []>(
      `SELECT doc ->> 'price' AS price FROM "${BOOKINGS}" WHERE doc ->> 'city' = 'Hanoi' ORDER BY price`,
    );
    foreign.run('BEGIN');
    expect(prices.values()).toEqual([[10], [12.5], [40]]);
    await store.commit(BOOKINGS, [{ id: '1', doc: null, position: at(2), loaded: at(1) }], at(2));
    expect(prices.values()).toEqual([[10], [12.5], [40]]);
    foreign.run('COMMIT');
    expect(prices.values()).toEqual([[12.5], [40]]);
  });

  test('a scan holds no snapshot between its reads, so that the log can be checkpointed', async () => {
    await store.ensure(BOOKINGS, []);
    const writes = Array.from({ length: 1_001 }, (_, n) => ({ id: `${n}`, doc: {}, position: at(1), loaded: null }));
    await store.commit(BOOKINGS, writes, at(1));
    for await (const { id } of store.scan(BOOKINGS)) {
      const checkpoint = foreign.query('PRAGMA wal_checkpoint(TRUNCATE)');
      if (id === '10') expect(checkpoint.values()).toEqual([[0, 0, 0]]);
    }
  });

  test('a commit is rolled back if a document cannot be written', async () => {
    await given();
    const endless: { self?: object } = {};
    endless.self = endless;
    const writes = [
      { id: '8', doc: {}, position: at(2), loaded: null },
      { id: '9', doc: endless, position: at(2), loaded: null },
    ];
    expect(await faultOf(() => store.commit(BOOKINGS, writes, at(2)))).toBeInstanceOf(TypeError);
    expect((await store.load(BOOKINGS, ['8', '9'])).size).toBe(0);
    expect(await store.checkpoint(BOOKINGS)).toBe(at(1));
    expect(await store.commit(BOOKINGS, writes.slice(0, 1), at(2))).toEqual({ missed: [] });
  });

  test('calls on a dropped collection reject', async () => {
    await given();
    await store.drop(BOOKINGS);
    const calls = [
      () => store.load(BOOKINGS, ['1']),
      () => store.commit(BOOKINGS, [], at(1)),
      () => store.find(BOOKINGS, { limit: 1 }),
      () => scanned(store, BOOKINGS),
    ];
    for (const call of calls) expect(await faultOf(call)).toMatchObject({ message: `no such table: ${BOOKINGS}` });
    expect(await store.checkpoint(BOOKINGS)).toBeNull();
  });

  test('close leaves one file with all data', async () => {
    await given();
    foreign.close();
    await store.close();
    expect(readdirSync(directory.path)).toEqual(['read-models.db']);
    expect(await faultOf(() => store.collections())).toEqual(new Error('the read model store is closed'));
  });

  test('stores in memory are separate', async () => {
    const [one, two] = [openReadModelStore(':memory:'), openReadModelStore(':memory:')];
    await one.ensure(BOOKINGS, [['city']]);
    const document = { id: '1', doc: { city: 'Hue' }, position: at(1) };
    await one.commit(BOOKINGS, [{ ...document, loaded: null }], at(1));
    expect(await scanned(one, BOOKINGS)).toEqual([document]);
    expect(await two.collections()).toEqual([]);
    await Promise.all([one.close(), two.close()]);
  });
});
