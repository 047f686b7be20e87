import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { EVENTSTOREDB_POSITIONS } from '../../../src/adapters/eventstoredb/positions.ts';
import { CHECKPOINTS } from '../../../src/adapters/mongodb/collection-names.ts';
import type { Database } from '../../../src/adapters/mongodb/database.ts';
import { openReadModelStore } from '../../../src/adapters/mongodb/read-model-store.ts';
import { type Position, START } from '../../../src/eventsourcing/message.ts';
import type { ReadModelStore } from '../../../src/ports/read-model-store.ts';
import { applyBatch } from '../../../src/runtime/apply-events.ts';
import { faultOf } from '../../support/fault.ts';
import { at, BOOKINGS, idsOf, scanned } from '../read-model-store/scene.ts';
import { mongoServers, type TestDatabase } from './servers.ts';
import { counted, givenEvents, TALLY } from './tally.ts';

for (const server of mongoServers()) {
  describe(`read models in MongoDB: ${server.name}`, () => {
    let place: TestDatabase;
    let database: Database;
    let store: ReadModelStore;

    beforeEach(async () => {
      place = server.empty();
      database = await place.open();
      store = openReadModelStore(database, EVENTSTOREDB_POSITIONS);
      await store.ensure(BOOKINGS, [['city', 'price']]);
    });
    afterEach(() => place.remove());

    const MIB = 1024 * 1024;
    const { format } = EVENTSTOREDB_POSITIONS;

    test('a document is stored unchanged, for other tools to read; a tombstone has no content', async () => {
      const writes = [
        { id: 'a', doc: { city: 'Hue', price: 1 }, position: at(1), loaded: null },
        { id: 'b', doc: null, position: at(1), loaded: null },
      ];
      await store.commit(BOOKINGS, writes, at(1));
      const kept = await database.db
        .collection(BOOKINGS)
        .find({}, { sort: { _id: 1 } })
        .toArray();
      const [commit, generation] = [kept[0]?.['commit'], kept[0]?.['generation']];
      expect(kept as unknown[]).toEqual([
        { _id: 'a', position: format(at(1)), live: true, commit, generation, doc: { city: 'Hue', price: 1 } },
        { _id: 'b', position: format(at(1)), live: false, commit, generation },
      ]);
    });

    test('positions that an earlier release stored as texts are read, advanced and guarded', async () => {
      const [earlier, later] = [1_400 as Position, 1_601 as Position];
      await database.db.collection<{ _id: string }>(BOOKINGS).insertOne({
        _id: 'a',
        position: '00000000000000000700/00000000000000000000',
        live: true,
        doc: { n: 1 },
      } as never);
      // Of another program's transaction: its prepare position is not stored again.
      const position = '00000000000000000700/00000000000000000650';
      const lastEvent = { id: 'e', position: '00000000000000000650/00000000000000000650' };
      await database.db
        .collection<{ _id: string }>(CHECKPOINTS)
        .updateOne({ _id: BOOKINGS }, { $set: { position, lastEvent } }, { upsert: true });
      expect(await store.checkpoint(BOOKINGS)).toBe(earlier);
      expect((await store.lastEvents([BOOKINGS])).get(BOOKINGS)).toEqual({ id: 'e', position: 1_301 as Position });
      const write = { id: 'a', doc: { n: 2 }, position: later, loaded: earlier };
      expect(await store.commit(BOOKINGS, [write], later)).toEqual({ missed: [] });
      expect(await scanned(store, BOOKINGS)).toEqual([{ id: 'a', doc: { n: 2 }, position: later }]);
      expect(await store.checkpoint(BOOKINGS)).toBe(later);
    });

    test('a checkpoint of another engine is refused', async () => {
      await database.db
        .collection<{ _id: string }>(CHECKPOINTS)
        .updateOne({ _id: BOOKINGS }, { $set: { position: '0000000000000042' } }, { upsert: true });
      expect(await faultOf(() => store.checkpoint(BOOKINGS))).toBeInstanceOf(RangeError);
    });

    test('an index begins with `live` and ends with the id', async () => {
      const indexes = await database.db.collection(BOOKINGS).listIndexes().toArray();
      expect(indexes.map(({ name, key }) => [name, Object.entries(key as object)])).toEqual([
        ['_id_', [['_id', 1]]],
        [
          'city,price',
          [
            ['live', 1],
            ['doc.city', 1],
            ['doc.price', 1],
            ['_id', 1],
          ],
        ],
      ]);
    });

    test('a document over 16 MiB is refused with its id, and nothing of its commit is written', async () => {
      const text = 'x'.repeat(16 * MIB);
      const writes = [
        { id: 'small', doc: {}, position: at(1), loaded: null },
        { id: 'large', doc: { text }, position: at(1), loaded: null },
      ];
      const fault = await faultOf(() => store.commit(BOOKINGS, writes, at(1)));
      expect(fault).toBeInstanceOf(RangeError);
      expect(String(fault)).toMatch(/the document "large" has 167\d+ bytes; MongoDB stores 16777216 at most/);
      expect(await scanned(store, BOOKINGS)).toEqual([]);
      const largest = { id: 'large', doc: { text: text.slice(0, 16 * MIB - 200) }, position: at(1), loaded: null };
      expect(await store.commit(BOOKINGS, [largest], at(1))).toEqual({ missed: [] });
    });

    test('other collections are not listed, and reserved names are refused', async () => {
      await database.db.collection(CHECKPOINTS).insertOne({ position: format(at(1)) });
      await database.db.createCollection('Elsewhere');
      expect(await store.collections()).toEqual([BOOKINGS]);
      expect(await faultOf(() => store.ensure('system.views', []))).toBeInstanceOf(RangeError);
    });

    test('a page after a cursor continues through all types, up to a full page', async () => {
      const values = [null, 1, 2, 'a', 'b', false, true];
      const writes = values.map((value, n) => ({ id: `${n}`, doc: { value }, position: at(1), loaded: null }));
      await store.commit(BOOKINGS, writes, at(1));
      const sort = { field: 'value', direction: 'desc' } as const;
      const first = await store.find(BOOKINGS, { sort, limit: 2 });
      expect([idsOf(first.items), first.next]).toEqual(['6 5', { value: false, id: '5' }]);
      const rest = await store.find(BOOKINGS, { sort, limit: 9, after: { value: false, id: '5' } });
      expect([idsOf(rest.items), rest.next]).toEqual(['4 3 2 1 0', null]);
    });

    test('one commit replaces more documents than FerretDB has connections', async () => {
      const ids = Array.from({ length: 150 }, (_, n) => `doc-${String(n).padStart(3, '0')}`);
      const writes = (n: number) =>
        ids.map((id) => ({ id, doc: { n }, position: at(n), loaded: n === 0 ? null : at(n - 1) }));
      for (const n of [0, 1]) expect(await store.commit(BOOKINGS, writes(n), at(n))).toEqual({ missed: [] });
      expect(await scanned(store, BOOKINGS)).toEqual(ids.map((id) => ({ id, doc: { n: 1 }, position: at(1) })));
    });

    test('of two concurrent writers of one document, one misses each time', async () => {
      const other = openReadModelStore(await place.open(), EVENTSTOREDB_POSITIONS);
      await store.commit(BOOKINGS, [{ id: 'a', doc: { n: 0 }, position: at(0), loaded: null }], at(0));
      for (let n = 1; n <= 40; n++) {
        const write = (by: string) => [{ id: 'a', doc: { n, by }, position: at(n), loaded: at(n - 1) }];
        const [one, two] = await Promise.all([
          store.commit(BOOKINGS, write('one'), at(n)),
          other.commit(BOOKINGS, write('two'), at(n)),
        ]);
        const by = one.missed.length === 0 ? 'one' : 'two';
        expect([one.missed.length + two.missed.length, await scanned(store, BOOKINGS)]).toEqual([
          1,
          [{ id: 'a', doc: { n, by }, position: at(n) }],
        ]);
      }
    });

    test('two nodes that fold the same events at once count each of them once', async () => {
      const nodes = [store, openReadModelStore(await place.open(), EVENTSTOREDB_POSITIONS)];
      const events = givenEvents(120);
      // The same events in different batches, so that each node meets documents that are ahead or behind.
      const batchesOf = (size: number) =>
        Array.from({ length: Math.ceil(events.length / size) }, (_, n) => events.slice(n * size, (n + 1) * size));
      await Promise.all(
        nodes.map(async (node, n) => {
          let after: Position = START;
          for (const batch of batchesOf(n === 0 ? 7 : 10)) {
            const upTo = batch.at(-1)?.position ?? at(0);
            await applyBatch(TALLY, BOOKINGS, node, { events: batch, after, upTo });
            after = upTo;
          }
        }),
      );
      expect(await scanned(store, BOOKINGS)).toEqual(counted(events));
      expect(await store.checkpoint(BOOKINGS)).toEqual(events.at(-1)?.position ?? null);
    });
  });
}
