import { describe, expect, test } from 'bun:test';
import type { Find } from '../../../src/ports/read-model-store.ts';
import { faultOf } from '../../support/fault.ts';
import { at, BOOKINGS, CITIES, type Scene, scanned } from './scene.ts';

/** Invalid calls, and calls after `close`: each rejects, none hangs. */
export function refusing(scene: Scene): void {
  describe('refuses', () => {
    test.each([
      '',
      'Bookings',
      '9lives',
      '_checkpoints',
      '.b',
      'a"b',
      "a'b",
      'a b',
      'a;b',
      'a$b',
      'a\nb',
      'bé',
      'a/b',
      'b\n',
    ])('the name %p', async (hostile) => {
      const calls = [
        () => scene.store.ensure(hostile, []),
        () => scene.store.load(hostile, ['a']),
        () => scene.store.commit(hostile, [], at(1)),
        () => scene.store.checkpoint(hostile),
        () => scene.store.checkpoints([BOOKINGS, hostile]),
        () => scene.store.lastEvents([BOOKINGS, hostile]),
        () => scene.store.find(hostile, { limit: 1 }),
        () => scanned(scene.store, hostile),
        () => scene.store.drop(hostile),
        () => scene.store.pointer(hostile),
        () => scene.store.pointers(['b1', hostile]),
        () => scene.store.movePointer(hostile, null, 'b1'),
      ];
      for (const call of calls) expect(await faultOf(call)).toBeInstanceOf(RangeError);
      expect(await scene.store.collections()).toEqual([BOOKINGS]);
    });

    test.each(['', '9a', 'a.b', "a'", 'a"', 'a b', '$a', 'a[0]', 'é', 'a\n'])('the field %p', async (hostile) => {
      const questions: Omit<Find, 'limit'>[] = [
        { where: { [hostile]: 1 } },
        { where: { [hostile]: [1] } },
        { range: { field: hostile, from: 1 } },
        { range: { field: hostile } },
        { sort: { field: hostile, direction: 'asc' } },
      ];
      for (const query of questions) {
        expect(await faultOf(() => scene.store.find(BOOKINGS, { ...query, limit: 1 }))).toBeInstanceOf(RangeError);
      }
      expect(await faultOf(() => scene.store.ensure(BOOKINGS, [[hostile]]))).toBeInstanceOf(RangeError);
    });

    test.each<[string, Find]>([
      ['a limit of 0', { limit: 0 }],
      ['a limit below 0', { limit: -1 }],
      ['a limit over 1,000', { limit: 1_001 }],
      ['a fractional limit', { limit: 1.5 }],
      ['a limit that is NaN', { limit: Number.NaN }],
      ['a range between two types', { range: { field: 'price', from: 1, to: 'b' }, limit: 1 }],
      ['a range to infinity', { range: { field: 'price', from: 1, to: Number.POSITIVE_INFINITY }, limit: 1 }],
      ['NaN', { where: { price: Number.NaN }, limit: 1 }],
      [
        'too many values to merge',
        { where: { size: Array.from({ length: 33 }, (_, n) => n) }, merge: 'size', limit: 1 },
      ],
      ['NaN in a list', { where: { price: [1, Number.NaN] }, limit: 1 }],
    ])('%s', async (_, query) => {
      expect(await faultOf(() => scene.store.find(BOOKINGS, query))).toBeInstanceOf(RangeError);
    });

    test('an index without fields', async () => {
      expect(await faultOf(() => scene.store.ensure(BOOKINGS, [[]]))).toBeInstanceOf(RangeError);
    });
  });

  describe('closed', () => {
    test('rejects every call; close may be repeated', async () => {
      await scene.given(CITIES);
      const scan = scene.store.scan(BOOKINGS)[Symbol.asyncIterator]();
      await scene.store.close();
      await scene.store.close();
      const calls = [
        () => scene.store.ensure(BOOKINGS, []),
        () => scene.store.load(BOOKINGS, ['a']),
        () => scene.store.commit(BOOKINGS, [], at(1)),
        () => scene.store.checkpoint(BOOKINGS),
        () => scene.store.checkpoints([]),
        () => scene.store.lastEvents([]),
        () => scene.store.find(BOOKINGS, { limit: 1 }),
        () => scan.next(),
        () => scene.store.collections(),
        () => scene.store.drop(BOOKINGS),
        () => scene.store.pointer('bookings.v1'),
        () => scene.store.pointers([]),
        () => scene.store.movePointer('bookings.v1', null, 'b1'),
      ];
      for (const call of calls)
        expect(await faultOf(call)).toMatchObject({ message: expect.stringContaining('closed') });
    });
  });
}
