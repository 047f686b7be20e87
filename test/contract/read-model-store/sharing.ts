import { beforeEach, describe, expect, test } from 'bun:test';
import type { ReadModelStore } from '../../../src/ports/read-model-store.ts';
import { at, BOOKINGS, CITIES, idsOf, type Scene, scanned } from './scene.ts';

export function sharing(scene: Scene): void {
  describe('two stores on the same data', () => {
    let other: ReadModelStore;
    beforeEach(async () => {
      other = await scene.opened.openAgain();
    });

    test('see the writes of the other', async () => {
      await scene.given(CITIES);
      await scene.store.movePointer('bookings.v1', null, BOOKINGS);
      expect(await scanned(other, BOOKINGS)).toEqual(await scanned(scene.store, BOOKINGS));
      expect(idsOf((await other.find(BOOKINGS, { where: { city: 'Hue' }, limit: 9 })).items)).toBe('3');
      expect(await other.checkpoint(BOOKINGS)).toBe(at(1));
      expect(await other.pointer('bookings.v1')).toBe(BOOKINGS);
      expect(await other.collections()).toEqual([BOOKINGS]);
    });

    test("check the position of each other's writes", async () => {
      await scene.given([{ id: 'a', doc: { price: 1 } }]);
      const write = (price: number, n: number) => [{ id: 'a', doc: { price }, position: at(n), loaded: at(1) }];
      expect(await other.commit(BOOKINGS, write(2, 2), at(2))).toEqual({ missed: [] });
      expect(await scene.store.commit(BOOKINGS, write(3, 3), at(3))).toEqual({ missed: ['a'] });
      expect(await scanned(scene.store, BOOKINGS)).toEqual([{ id: 'a', doc: { price: 2 }, position: at(2) }]);
      expect(await scene.store.checkpoint(BOOKINGS)).toBe(at(2));
    });

    test('one of several concurrent writers of a document or pointer succeeds', async () => {
      const writers = Array.from({ length: 10 }, (_, n) => ({ writer: n % 2 === 0 ? scene.store : other, n }));
      const committed = await Promise.all(
        writers.map(({ writer, n }) =>
          writer.commit(BOOKINGS, [{ id: 'a', doc: { n }, position: at(n), loaded: null }], at(n)),
        ),
      );
      const winner = committed.findIndex(({ missed }) => missed.length === 0);
      expect(committed).toEqual(writers.map(({ n }) => ({ missed: n === winner ? [] : ['a'] })));
      expect(await scanned(other, BOOKINGS)).toEqual([{ id: 'a', doc: { n: winner }, position: at(winner) }]);
      const moved = await Promise.all(writers.map(({ writer, n }) => writer.movePointer('bookings.v1', null, `b${n}`)));
      expect(moved.filter(Boolean)).toEqual([true]);
      expect(await scene.store.pointer('bookings.v1')).toBe(`b${moved.indexOf(true)}`);
    });

    test('compare collections in id order, by position and content', async () => {
      const another = 'bookings.v1.b2';
      const differing = () => Array.fromAsync(other.differing(BOOKINGS, another));
      await scene.store.ensure(another, []);
      expect(await differing()).toEqual([]);
      const ids = Array.from({ length: 4_500 }, (_, n) => `${n % 2 === 0 ? 'é' : 'e'}${String(n).padStart(4, '0')}`);
      const [first = '', second = '', third = '', fourth = ''] = ids;
      const all = ids.map((id) => ({ id, doc: { price: 1 }, position: at(1), loaded: null }));
      const changed = all.map((write) => {
        if (write.id === first) return { ...write, doc: { price: 2 } };
        return write.id === second ? { ...write, position: at(0) } : write;
      });
      const only = (id: string) => ({ id, doc: null, position: at(1), loaded: null });
      await scene.store.commit(BOOKINGS, [...all.filter(({ id }) => id !== third), only('zz')], at(1));
      await scene.store.commit(another, [...changed.filter(({ id }) => id !== fourth), only('a')], at(1));
      expect(await differing()).toEqual(['a', second, fourth, 'zz', first, third]);
    });

    test('continue after the other adds an index, or drops and recreates a collection', async () => {
      await scene.given(CITIES);
      expect((await other.find(BOOKINGS, { where: { size: 2 }, limit: 9 })).items).toHaveLength(3);
      await scene.store.ensure(BOOKINGS, [['size']]);
      expect((await other.find(BOOKINGS, { where: { size: 2 }, limit: 9 })).items).toHaveLength(3);
      await scene.store.drop(BOOKINGS);
      await scene.store.ensure(BOOKINGS, []);
      expect((await other.find(BOOKINGS, { where: { size: 2 }, limit: 9 })).items).toEqual([]);
      const write = { id: '1', doc: { size: 2 }, position: at(3), loaded: null };
      expect(await other.commit(BOOKINGS, [write], at(3))).toEqual({ missed: [] });
      expect(await scene.found({ where: { size: 2 } })).toBe('1');
    });
  });
}
