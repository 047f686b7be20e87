import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Position } from '../../../src/eventsourcing/message.ts';
import type { DocumentWrite, StoredDocument } from '../../../src/ports/read-model-store.ts';
import { faultOf } from '../../support/fault.ts';
import { byId, JSON_OBJECT } from './definition.ts';
import { at, BOOKINGS, CITIES, INDEXES, type Scene, SEED, scanned } from './scene.ts';

/** Load, guarded commit, checkpoint, scan. */
export function writing(scene: Scene): void {
  describe('load', () => {
    test('returns documents and tombstones by id, and omits unknown ids', async () => {
      await scene.given([
        { id: 'a', doc: { price: 1 } },
        { id: 'b', doc: null },
        { id: 'c', doc: {} },
      ]);
      expect(await scene.store.load(BOOKINGS, ['b', 'a', 'x', 'a'])).toEqual(
        new Map<string, StoredDocument>([
          ['b', { id: 'b', doc: null, position: at(1) }],
          ['a', { id: 'a', doc: { price: 1 }, position: at(1) }],
        ]),
      );
    });

    test('returns nothing for no ids, or from an empty collection', async () => {
      expect(await scene.store.load(BOOKINGS, [])).toEqual(new Map());
      expect(await scene.store.load(BOOKINGS, ['a'])).toEqual(new Map());
    });

    test('returns a thousand documents at once', async () => {
      const documents = Array.from({ length: 1_000 }, (_, price) => ({ id: `doc-${price}`, doc: { price } }));
      await scene.given(documents);
      const loaded = await scene.store.load(
        BOOKINGS,
        documents.map(({ id }) => id),
      );
      expect([...loaded.values()].sort(byId)).toEqual(
        documents.map((document) => ({ ...document, position: at(1) })).sort(byId),
      );
    });

    test(`any JSON is returned unchanged, key order included (seed ${SEED})`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(JSON_OBJECT, { maxLength: 10 }), async (docs) => {
          await scene.store.drop(BOOKINGS);
          await scene.store.ensure(BOOKINGS, []);
          const ids = docs.map((_, n) => `doc-${n}`);
          const writes = docs.map((doc, n) => ({ id: `doc-${n}`, doc, position: at(1), loaded: null }));
          await scene.store.commit(BOOKINGS, writes, at(1));
          const loaded = await scene.store.load(BOOKINGS, ids);
          expect(ids.map((id) => JSON.stringify(loaded.get(id)?.doc))).toEqual(docs.map((doc) => JSON.stringify(doc)));
        }),
        { seed: SEED, numRuns: 50 },
      );
    });
  });

  describe('commit', () => {
    test('inserts, replaces and deletes, then moves the checkpoint', async () => {
      await scene.given([
        { id: 'a', doc: { price: 1, city: 'Hue' } },
        { id: 'b', doc: { price: 2 } },
      ]);
      const writes: DocumentWrite[] = [
        { id: 'a', doc: { price: 10 }, position: at(3), loaded: at(1) },
        { id: 'b', doc: null, position: at(2), loaded: at(1) },
        { id: 'c', doc: { price: 3 }, position: at(4), loaded: null },
      ];
      expect(await scene.store.commit(BOOKINGS, writes, at(5))).toEqual({ missed: [] });
      expect(await scanned(scene.store, BOOKINGS)).toEqual([
        { id: 'a', doc: { price: 10 }, position: at(3) },
        { id: 'b', doc: null, position: at(2) },
        { id: 'c', doc: { price: 3 }, position: at(4) },
      ]);
      expect(await scene.store.checkpoint(BOOKINGS)).toBe(at(5));
    });

    test.each<[string, Position | null]>([
      ['had none, but one exists', null],
      ['loaded an older position', at(1)],
      ['loaded a newer position', at(3)],
    ])('a writer that %s misses', async (_, loaded) => {
      await scene.given([{ id: 'a', doc: { price: 1 } }], at(2));
      expect(
        await scene.store.commit(BOOKINGS, [{ id: 'a', doc: { price: 9 }, position: at(9), loaded }], at(9)),
      ).toEqual({
        missed: ['a'],
      });
      expect(await scanned(scene.store, BOOKINGS)).toEqual([{ id: 'a', doc: { price: 1 }, position: at(2) }]);
      expect(await scene.store.checkpoint(BOOKINGS)).toBe(at(2));
    });

    test('a writer that loaded a document that is gone misses, and creates nothing', async () => {
      const write = { id: 'a', doc: { price: 9 }, position: at(9), loaded: at(1) };
      expect(await scene.store.commit(BOOKINGS, [write], at(9))).toEqual({ missed: ['a'] });
      expect(await scanned(scene.store, BOOKINGS)).toEqual([]);
      expect(await scene.store.checkpoint(BOOKINGS)).toBeNull();
    });

    test('a tombstone guards like a document', async () => {
      await scene.given([{ id: 'a', doc: null }], at(2));
      const revived = { id: 'a', doc: { price: 1 }, position: at(3) };
      expect(await scene.store.commit(BOOKINGS, [{ ...revived, loaded: null }], at(3))).toEqual({ missed: ['a'] });
      expect(await scene.store.commit(BOOKINGS, [{ ...revived, loaded: at(2) }], at(3))).toEqual({ missed: [] });
      expect(await scanned(scene.store, BOOKINGS)).toEqual([revived]);
    });

    test('if some miss, the others are written and the checkpoint stays', async () => {
      await scene.given([
        { id: 'a', doc: { price: 1 } },
        { id: 'b', doc: { price: 2 } },
        { id: 'c', doc: { price: 3 } },
      ]);
      const writes: DocumentWrite[] = [
        { id: 'a', doc: { price: 10 }, position: at(5), loaded: at(1) },
        { id: 'b', doc: { price: 20 }, position: at(5), loaded: null },
        { id: 'c', doc: { price: 30 }, position: at(5), loaded: at(0) },
        { id: 'd', doc: { price: 40 }, position: at(5), loaded: null },
      ];
      expect(await scene.store.commit(BOOKINGS, writes, at(5))).toEqual({ missed: ['b', 'c'] });
      expect(await scanned(scene.store, BOOKINGS)).toEqual([
        { id: 'a', doc: { price: 10 }, position: at(5) },
        { id: 'b', doc: { price: 2 }, position: at(1) },
        { id: 'c', doc: { price: 3 }, position: at(1) },
        { id: 'd', doc: { price: 40 }, position: at(5) },
      ]);
      expect(await scene.store.checkpoint(BOOKINGS)).toBe(at(1));
    });

    test('of two writes at one position, the second misses', async () => {
      const write = (price: number, loaded: Position | null, n: number): DocumentWrite[] => [
        { id: 'a', doc: { price }, position: at(n), loaded },
      ];
      expect(await scene.store.commit(BOOKINGS, write(1, null, 1), at(1))).toEqual({ missed: [] });
      expect(await scene.store.commit(BOOKINGS, write(2, null, 1), at(1))).toEqual({ missed: ['a'] });
      expect(await scene.store.commit(BOOKINGS, write(3, at(1), 2), at(2))).toEqual({ missed: [] });
      expect(await scene.store.commit(BOOKINGS, write(4, at(1), 2), at(2))).toEqual({ missed: ['a'] });
      expect(await scanned(scene.store, BOOKINGS)).toEqual([{ id: 'a', doc: { price: 3 }, position: at(2) }]);
    });

    test('the checkpoint is null at first, advances also without documents, and never moves back', async () => {
      expect(await scene.store.checkpoint(BOOKINGS)).toBeNull();
      const seen: (Position | null)[] = [];
      for (const upTo of [at(9), at(10), at(2), at(10), at(11)]) {
        expect(await scene.store.commit(BOOKINGS, [], upTo)).toEqual({ missed: [] });
        seen.push(await scene.store.checkpoint(BOOKINGS));
      }
      expect(seen).toEqual([at(9), at(10), at(10), at(10), at(11)]);
    });

    test('checkpoints are read together; a collection without one is missing', async () => {
      await scene.store.ensure('bookings.v1.b2', INDEXES);
      await scene.store.ensure('bookings.v1.b3', INDEXES);
      await scene.store.commit(BOOKINGS, [], at(3));
      await scene.store.commit('bookings.v1.b3', [], at(7));
      const names = ['bookings.v1.b3', 'bookings.v1.b2', BOOKINGS, 'keys.v1.b1'];
      expect(await scene.store.checkpoints(names)).toEqual(
        new Map([
          [BOOKINGS, at(3)],
          ['bookings.v1.b3', at(7)],
        ]),
      );
      expect(await scene.store.checkpoints([])).toEqual(new Map());
    });

    test('last events are read together; a collection without one is missing', async () => {
      const collections = ['bookings.v1.b2', 'bookings.v1.b3', BOOKINGS];
      for (const collection of collections) await scene.store.ensure(collection, INDEXES);
      const lastEvent = { id: 'an-event', position: at(5) };
      await scene.store.commit(BOOKINGS, [], at(7), { lastEvent });
      await scene.store.commit('bookings.v1.b2', [], at(9));
      expect(await scene.store.lastEvents([...collections, 'keys.v1.b1'])).toEqual(new Map([[BOOKINGS, lastEvent]]));
      await scene.store.commit(BOOKINGS, [], at(8));
      expect(await scene.store.lastEvents([BOOKINGS])).toEqual(new Map([[BOOKINGS, lastEvent]]));
      expect(await scene.store.lastEvents([])).toEqual(new Map());
    });

    test('many collections that advance at once each get their own checkpoint, and none moves back', async () => {
      const collections = Array.from({ length: 60 }, (_, n) => `many.v1.b${n}`);
      for (const collection of collections) await scene.store.ensure(collection, []);
      const place = (n: number) => ({ id: `event-${n}`, position: at(n) });
      await Promise.all(
        collections.map((collection, n) => scene.store.commit(collection, [], at(n + 1), { lastEvent: place(n + 1) })),
      );
      const write = { id: 'a', doc: {}, position: at(30), loaded: null };
      await Promise.all(
        collections.map((collection, n) => scene.store.commit(collection, n === 3 ? [write] : [], at(30))),
      );
      const expected = collections.map((collection, n) => [collection, at(Math.max(n + 1, 30))] as const);
      expect(await scene.store.checkpoints(collections)).toEqual(new Map(expected));
      expect((await scene.store.lastEvents(['many.v1.b3'])).get('many.v1.b3')).toEqual(place(4));
    });

    test('a commit that follows on more than the checkpoint is refused, and writes nothing', async () => {
      await scene.given([], at(3));
      const write = { id: 'a', doc: {}, position: at(9), loaded: null };
      const fault = await faultOf(() => scene.store.commit(BOOKINGS, [write], at(9), { after: at(4) }));
      expect(String(fault)).toContain('has lost documents');
      expect([await scanned(scene.store, BOOKINGS), await scene.store.checkpoint(BOOKINGS)]).toEqual([[], at(3)]);
      expect(await scene.store.commit(BOOKINGS, [write], at(9), { after: at(3) })).toEqual({ missed: [] });
    });

    test('of commits at once, one that misses keeps its checkpoint and the others advance', async () => {
      await scene.store.ensure('bookings.v1.b2', INDEXES);
      const late = { id: 'a', doc: {}, position: at(9), loaded: at(1) };
      const [missed, stored] = await Promise.all([
        scene.store.commit(BOOKINGS, [late], at(9)),
        scene.store.commit('bookings.v1.b2', [], at(9)),
      ]);
      expect([missed, stored]).toEqual([{ missed: ['a'] }, { missed: [] }]);
      expect(await scene.store.checkpoints([BOOKINGS, 'bookings.v1.b2'])).toEqual(new Map([['bookings.v1.b2', at(9)]]));
    });

    test('collections do not mix', async () => {
      await scene.store.ensure('bookings.v1.b2', INDEXES);
      await scene.given([{ id: 'a', doc: { price: 1 } }]);
      expect(await scanned(scene.store, 'bookings.v1.b2')).toEqual([]);
      expect(await scene.store.checkpoint('bookings.v1.b2')).toBeNull();
    });
  });

  describe('scan', () => {
    test('returns every document in id order over many pages, tombstones included', async () => {
      const documents = Array.from({ length: 1_203 }, (_, n) => ({
        id: `doc-${n}`,
        doc: n % 3 === 0 ? null : { n },
      }));
      await scene.given(documents);
      expect(await scanned(scene.store, BOOKINGS)).toEqual(
        documents.map((document) => ({ ...document, position: at(1) })).sort(byId),
      );
    });

    test('can end early, and two can run side by side', async () => {
      await scene.given(CITIES);
      const seen: string[] = [];
      for await (const left of scene.store.scan(BOOKINGS)) {
        for await (const right of scene.store.scan(BOOKINGS)) {
          seen.push(left.id + right.id);
          if (right.id === '2') break;
        }
        if (left.id === '2') break;
      }
      expect(seen.join(' ')).toBe('11 12 21 22');
    });

    test('continues while documents are written', async () => {
      await scene.given(CITIES);
      let position = 1;
      for await (const { id, position: loaded } of scene.store.scan(BOOKINGS)) {
        const write = { id, doc: { seen: true }, position: at(++position), loaded };
        expect(await scene.store.commit(BOOKINGS, [write], at(position))).toEqual({ missed: [] });
      }
      expect(await scene.found({ where: { seen: true } })).toBe('1 2 3 4 5 6 7');
    });
  });
}
