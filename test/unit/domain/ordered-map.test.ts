import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { OrderedMap } from '../../../src/domain/ordered-map.ts';

const key = fc.string({ minLength: 0, maxLength: 3, unit: fc.constantFrom('a', 'b', 'c', '0', ' ', 'é', '日') });
const step = fc.oneof(
  fc.record({ kind: fc.constant('with' as const), key, value: fc.integer() }),
  fc.record({ kind: fc.constant('without' as const), key }),
);

describe('an ordered map', () => {
  test('holds what a plain map holds, in the order of its keys, and never changes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const plain = new Map<string, number>();
        let map = new OrderedMap<number>();
        for (const one of steps) {
          const before = [...map.entries()];
          const next = one.kind === 'with' ? map.with(one.key, one.value) : map.without(one.key);
          expect([...map.entries()]).toEqual(before);
          if (one.kind === 'with') plain.set(one.key, one.value);
          else plain.delete(one.key);
          map = next;
          expect([...map.entries()]).toEqual([...plain].toSorted(([left], [right]) => (left < right ? -1 : 1)));
        }
      }),
    );
  });

  test('is itself where there was nothing to take out', () => {
    const map = new OrderedMap<number>().with('b', 1);
    expect(map.without('a')).toBe(map);
  });

  test('stays shallow when keys come in their order, as times do', () => {
    let map = new OrderedMap<number>();
    for (let n = 0; n < 20_000; n++) map = map.with(String(n).padStart(6, '0'), n);
    for (let n = 0; n < 19_990; n++) map = map.without(String(n).padStart(6, '0'));
    expect([...map.entries()].map(([, n]) => n)).toEqual(Array.from({ length: 10 }, (_, n) => 19_990 + n));
  });
});
