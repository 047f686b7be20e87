import { describe, expect, test } from 'bun:test';
import { at, BOOKINGS, CITIES, INDEXES, idsOf, type Scene, scanned } from './scene.ts';

/** Collections and the pointers to them. */
export function collections(scene: Scene): void {
  describe('ensure', () => {
    test('a second time changes nothing', async () => {
      await scene.given([{ id: 'a', doc: { city: 'Hanoi', price: 1 } }]);
      await scene.store.ensure(BOOKINGS, INDEXES);
      expect(await scanned(scene.store, BOOKINGS)).toEqual([
        { id: 'a', doc: { city: 'Hanoi', price: 1 }, position: at(1) },
      ]);
      expect(await scene.store.checkpoint(BOOKINGS)).toEqual(at(1));
    });

    test('adds an index to a collection that has documents', async () => {
      await scene.given(CITIES);
      const before = await scene.found({ where: { size: 2 }, sort: { field: 'city', direction: 'asc' } });
      await scene.store.ensure(BOOKINGS, [...INDEXES, ['size', 'city']]);
      expect(await scene.found({ where: { size: 2 }, sort: { field: 'city', direction: 'asc' } })).toEqual(before);
    });

    test('creates the collections that `collections` lists by name, as no other call does', async () => {
      await scene.store.ensure('activities.v1.b1', []);
      await scene.store.ensure('bookings.v1.b10', []);
      await scene.store.ensure('bookings-old_2', [['_id_2']]);
      await scene.store.movePointer('bookings.v1', null, BOOKINGS);
      await scene.store.commit(BOOKINGS, [], at(1));
      expect(await scene.store.collections()).toEqual([
        'activities.v1.b1',
        'bookings-old_2',
        BOOKINGS,
        'bookings.v1.b10',
      ]);
    });
  });

  describe('drop', () => {
    test('drops documents and checkpoint, and no other collection', async () => {
      await scene.store.ensure('bookings.v1.b10', []);
      await scene.given(CITIES);
      await scene.store.commit('bookings.v1.b10', [], at(7));
      await scene.store.drop(BOOKINGS);
      expect(await scene.store.collections()).toEqual(['bookings.v1.b10']);
      expect(await scene.store.checkpoint(BOOKINGS)).toBeNull();
      expect(await scene.store.checkpoint('bookings.v1.b10')).toBe(at(7));
    });

    test('a collection recreated under the same name is empty and writable', async () => {
      await scene.given(CITIES);
      await scene.store.drop(BOOKINGS);
      await scene.store.ensure(BOOKINGS, INDEXES);
      expect(await scanned(scene.store, BOOKINGS)).toEqual([]);
      expect(await scene.found({ where: { city: 'Hanoi' } })).toBe('');
      await scene.given([{ id: '1', doc: { city: 'Hanoi' } }], at(5));
      expect(await scene.found({ where: { city: 'Hanoi' } })).toBe('1');
      expect(await scene.store.checkpoint(BOOKINGS)).toBe(at(5));
    });

    test('of an unknown collection does nothing', async () => {
      await scene.store.drop('nothing.v1.b1');
      expect(await scene.store.collections()).toEqual([BOOKINGS]);
    });
  });

  describe('pointers', () => {
    test('move only from what they hold', async () => {
      const steps: [from: string | null, to: string, moved: boolean, holds: string | null][] = [
        ['b1', 'b2', false, null],
        [null, 'b1', true, 'b1'],
        [null, 'b2', false, 'b1'],
        ['b0', 'b2', false, 'b1'],
        ['b7', 'b2', false, 'b1'],
        ['b1', 'b2', true, 'b2'],
        ['b2', 'b2', true, 'b2'],
      ];
      expect(await scene.store.pointer('bookings.v1')).toBeNull();
      for (const [from, to, moved, holds] of steps) {
        expect(await scene.store.movePointer('bookings.v1', from, to)).toBe(moved);
        expect(await scene.store.pointer('bookings.v1')).toBe(holds);
      }
      expect(await scene.store.pointer('bookings.v2')).toBeNull();
    });

    test('are read together; one that was never set is missing', async () => {
      await scene.store.movePointer('bookings.v1', null, 'b1');
      await scene.store.movePointer('keys.v4', null, 'b7');
      const [names, both] = [['keys.v4', 'bookings.v1', 'vouchers.v2'], { 'bookings.v1': 'b1', 'keys.v4': 'b7' }];
      expect(Object.fromEntries(await scene.store.pointers(names))).toEqual(both);
      expect(await scene.store.pointers([])).toEqual(new Map());
    });
  });

  describe('reopened', () => {
    test('has everything', async () => {
      await scene.given([...CITIES, { id: '8', doc: null }]);
      await scene.store.movePointer('bookings.v1', null, BOOKINGS);
      const before = await scanned(scene.store, BOOKINGS);
      const again = await scene.opened.reopen();
      expect(await again.collections()).toEqual([BOOKINGS]);
      expect(await scanned(again, BOOKINGS)).toEqual(before);
      expect(await again.checkpoint(BOOKINGS)).toBe(at(1));
      expect(await again.pointer('bookings.v1')).toBe(BOOKINGS);
      await again.ensure(BOOKINGS, INDEXES);
      expect(idsOf((await again.find(BOOKINGS, { where: { city: 'Hue' }, limit: 9 })).items)).toBe('3');
    });
  });
}
