import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { ObjectId } from 'mongodb';
import { EVENTSTOREDB_POSITIONS } from '../../../src/adapters/eventstoredb/positions.ts';
import { CHECKPOINTS } from '../../../src/adapters/mongodb/collection-names.ts';
import type { Database } from '../../../src/adapters/mongodb/database.ts';
import { openReadModelStore } from '../../../src/adapters/mongodb/read-model-store.ts';
import { type Position, START } from '../../../src/eventsourcing/message.ts';
import type { ReadModelStore } from '../../../src/ports/read-model-store.ts';
import { applyBatch } from '../../../src/runtime/apply-events.ts';
import { resumeFolding } from '../../../src/runtime/checkpoints.ts';
import { faultOf } from '../../support/fault.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { at, BOOKINGS, CITIES, SEED, scanned } from '../read-model-store/scene.ts';
import { mongoServers, type TestDatabase } from './servers.ts';
import { counted, givenEvents, TALLY } from './tally.ts';

/** Events in the log of the random runs, and losses in each run. */
const EVENTS = 300;
const LOSSES = 3;
const RUNS = 4;

for (const server of mongoServers()) {
  describe(`read models that MongoDB has lost: ${server.name}`, () => {
    let place: TestDatabase;
    let database: Database;
    let store: ReadModelStore;
    let other: ReadModelStore;

    beforeEach(async () => {
      place = server.empty();
      database = await place.open();
      store = openReadModelStore(database, EVENTSTOREDB_POSITIONS);
      other = openReadModelStore(await place.open(), EVENTSTOREDB_POSITIONS);
      await store.ensure(BOOKINGS, TALLY.indexes);
    });
    afterEach(() => place.remove());

    const { format } = EVENTSTOREDB_POSITIONS;
    const events = givenEvents(EVENTS);
    /** The events up to the n-th, from 1. */
    const upTo = (count: number): Position => events[count - 1]?.position ?? START;
    /** Folds the events after the `from`-th up to the `to`-th. */
    const fold = (by: ReadModelStore, from: number, to: number): Promise<number> =>
      applyBatch(TALLY, BOOKINGS, by, { events: events.slice(from, to), after: upTo(from), upTo: upTo(to) });

    test('a collection dropped by another tool is refilled, whatever its checkpoint', async () => {
      const writes = CITIES.map((document) => ({ ...document, position: at(1), loaded: null }));
      await store.commit(BOOKINGS, writes, at(1));
      await database.db.collection(BOOKINGS).drop();
      expect(await store.checkpoint(BOOKINGS)).toBe(at(1));
      await store.ensure(BOOKINGS, []);
      expect(await store.checkpoint(BOOKINGS)).toBeNull();
    });

    test('a writer learns of the loss of the database at its next commit, and fills the collection again', async () => {
      await fold(store, 0, 20);
      await database.db.dropDatabase();
      expect(String(await faultOf(() => fold(store, 20, 30)))).toContain('has lost documents');
      expect(await store.checkpoint(BOOKINGS)).toBeNull();
      await store.ensure(BOOKINGS, TALLY.indexes);
      expect(await scanned(store, BOOKINGS)).toEqual([]);
      await fold(store, 0, 30);
      expect(await scanned(store, BOOKINGS)).toEqual(counted(events.slice(0, 30)));
      expect(await store.checkpoint(BOOKINGS)).toBe(upTo(30));
    });

    test('a writer learns of it also if another call of its process has created the collection again', async () => {
      await fold(store, 0, 20);
      await database.db.dropDatabase();
      await store.ensure(BOOKINGS, TALLY.indexes);
      expect(String(await faultOf(() => fold(store, 20, 30)))).toContain('has lost documents');
      expect(await store.checkpoint(BOOKINGS)).toBeNull();
    });

    test('a document that a late writer has put into a refilled collection is replaced', async () => {
      await fold(store, 0, 20);
      await database.db.dropDatabase();
      await other.ensure(BOOKINGS, TALLY.indexes);
      // The late writer found no documents, has written its own, and has not stored the checkpoint yet.
      await database.db.collection<{ _id: string; commit: ObjectId }>(BOOKINGS).insertOne({
        _id: 'all',
        commit: new ObjectId(),
        generation: new ObjectId(),
        live: true,
        position: format(upTo(30)),
        doc: { events: 10, last: 'late' },
      } as never);
      await fold(other, 0, 10);
      expect(await scanned(store, BOOKINGS)).toEqual(counted(events.slice(0, 10)));
      await fold(other, 10, 25);
      await fold(other, 25, 40);
      expect(await scanned(other, BOOKINGS)).toEqual(counted(events.slice(0, 40)));
    });

    test('a late writer changes nothing of a collection that another node has refilled', async () => {
      await fold(store, 0, 20);
      await fold(other, 0, 20);
      await database.db.dropDatabase();
      const loaded = await store.load(BOOKINGS, ['all']);
      expect(loaded.size).toBe(0);
      await resumeFolding(TALLY, BOOKINGS, contextOf(other));
      await fold(other, 0, 30);
      const write = { id: 'all', doc: { events: 10, last: 'late' }, position: upTo(30), loaded: null };
      expect(await store.commit(BOOKINGS, [write], upTo(30), { after: upTo(20) })).toEqual({ missed: ['all'] });
      expect(await fold(store, 20, 30)).toBe(0);
      expect(await scanned(store, BOOKINGS)).toEqual(counted(events.slice(0, 30)));
    });

    test('a late writer replaces no document of a refilled collection, also at the same position', async () => {
      await fold(store, 0, 20);
      await database.db.dropDatabase();
      await other.ensure(BOOKINGS, TALLY.indexes);
      await fold(other, 0, 20);
      const write = { id: 'all', doc: { events: 21, last: 'late' }, position: upTo(21), loaded: upTo(20) };
      expect(await store.commit(BOOKINGS, [write], upTo(21), { after: upTo(20) })).toEqual({ missed: ['all'] });
      await fold(other, 20, 30);
      expect(await scanned(store, BOOKINGS)).toEqual(counted(events.slice(0, 30)));
    });

    test('a late writer does not advance the checkpoint of a refilled collection', async () => {
      await fold(store, 0, 20);
      await database.db.dropDatabase();
      await other.ensure(BOOKINGS, TALLY.indexes);
      await fold(other, 0, 25);
      const write = { id: 'new', doc: {}, position: upTo(30), loaded: null };
      const fault = await faultOf(() => store.commit(BOOKINGS, [write], upTo(30), { after: upTo(20) }));
      expect(String(fault)).toContain('has lost documents');
      expect(await store.checkpoint(BOOKINGS)).toBe(upTo(25));
    });

    test('of commits at once, only the one whose collection was lost fails', async () => {
      const others = Array.from({ length: 12 }, (_, n) => `others.v1.b${n}`);
      for (const collection of others) await store.ensure(collection, []);
      const all = [BOOKINGS, ...others];
      await Promise.all(all.map((collection) => store.commit(collection, [], at(1))));
      const write = { id: 'a', doc: {}, position: at(2), loaded: null };
      await database.db.collection<{ _id: string }>(CHECKPOINTS).deleteOne({ _id: BOOKINGS });
      const lastEvent = { id: 'event', position: at(2) };
      const outcomes = await Promise.allSettled(
        all.map((collection) => store.commit(collection, [write], at(2), { after: at(1), lastEvent })),
      );
      expect(outcomes.map(({ status }) => status)).toEqual(
        all.map((name) => (name === BOOKINGS ? 'rejected' : 'fulfilled')),
      );
      expect(await store.checkpoints(all)).toEqual(new Map(others.map((collection) => [collection, at(2)])));
    });

    test('documents of earlier releases, without a generation, are folded further', async () => {
      await fold(store, 0, 20);
      await database.db.collection(BOOKINGS).updateMany({}, { $unset: { generation: '' } });
      await database.db.collection(CHECKPOINTS).updateMany({}, { $unset: { generation: '' } });
      const [one, two] = [store, other].map(() => openReadModelStore(database, EVENTSTOREDB_POSITIONS)) as [
        ReadModelStore,
        ReadModelStore,
      ];
      expect(await one.checkpoint(BOOKINGS)).toBe(upTo(20));
      await fold(one, 20, 30);
      await fold(two, 30, 40);
      expect(await scanned(store, BOOKINGS)).toEqual(counted(events.slice(0, 40)));
    });

    for (let run = 0; run < RUNS; run++) {
      const seed = SEED + run;
      test(`two nodes that fold while the database is lost ${LOSSES} times count each event once (seed ${seed})`, async () => {
        const ids = seededIds(seed);
        const below = (limit: number): number => ((ids.secret(1)[0] ?? 0) * limit) >> 8;
        let left = LOSSES;
        const node = async (by: ReadModelStore): Promise<void> => {
          for (let done = 0; done < EVENTS; ) {
            try {
              const after = await resumeFolding(TALLY, BOOKINGS, contextOf(by));
              done = events.findLastIndex(({ position }) => position <= after) + 1;
              while (done < EVENTS) {
                const to = Math.min(EVENTS, done + 1 + below(60));
                await fold(by, done, to);
                done = to;
                // Another part of the process looks for the collection.
                if (below(4) === 0) await by.ensure(BOOKINGS, TALLY.indexes);
              }
            } catch (fault) {
              if (!String(fault).includes('has lost documents')) throw fault;
            }
          }
        };
        const losing = async (): Promise<void> => {
          while (left > 0) {
            const reached = (await store.checkpoints([BOOKINGS])).get(BOOKINGS) ?? START;
            if (reached < upTo(1 + below(EVENTS))) continue;
            await database.db.dropDatabase();
            left--;
          }
        };
        const filling = async (by: ReadModelStore): Promise<void> => {
          do await node(by);
          while (left > 0);
          await node(by);
        };
        await Promise.all([losing(), filling(store), filling(other)]);
        await fold(store, EVENTS, EVENTS).catch(() => filling(store));
        expect(await scanned(store, BOOKINGS)).toEqual(counted(events));
        expect(await store.checkpoint(BOOKINGS)).toBe(upTo(EVENTS));
      }, 120_000);
    }

    const contextOf = (readModels: ReadModelStore) => ({
      readModels,
      log: collectedLog(),
      store: { check: async () => ({ kind: 'in-log' as const }) },
    });
  });
}
