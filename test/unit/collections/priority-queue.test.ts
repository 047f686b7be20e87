import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { PriorityQueue } from '../../../src/collections/priority-queue.ts';

type Entry = { readonly key: string; readonly priority: number };
type Change = { readonly kind: 'with'; readonly entry: Entry } | { readonly kind: 'without'; readonly key: string };

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('with' as const), entry: fc.record({ key, priority: fc.nat(9) }) }),
  fc.record({ kind: fc.constant('without' as const), key }),
);

function applied(queue: PriorityQueue<Entry>, one: Change): PriorityQueue<Entry> {
  return one.kind === 'with' ? queue.with(one.entry.key, one.entry.priority, one.entry) : queue.without(one.key);
}

describe('a priority queue', () => {
  test('equals a Map sorted by priority, then by insertion, after any changes', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const model = new Map<string, Entry>();
        let queue = new PriorityQueue<Entry>();
        for (const one of changes) {
          queue = applied(queue, one);
          model.delete(one.kind === 'with' ? one.entry.key : one.key);
          if (one.kind === 'with') model.set(one.entry.key, one.entry);
          // A Map is in insertion order, and the sort is stable.
          const expected = [...model.values()].sort((left, right) => left.priority - right.priority);
          expect([...queue.values()]).toEqual(expected);
          expect(queue.first).toEqual(expected[0]);
          expect(queue.size).toBe(model.size);
          for (const name of ['a', 'f']) expect(queue.get(name)).toEqual(model.get(name));
        }
      }),
    );
  });

  test('never changes', () => {
    fc.assert(
      fc.property(fc.array(change), change, (changes, next) => {
        const queue = changes.reduce(applied, new PriorityQueue<Entry>());
        const before = [...queue.values()];
        applied(queue, next);
        expect([...queue.values()]).toEqual(before);
        expect(queue.size).toBe(before.length);
      }),
    );
  });

  test('returns itself if the key to remove is absent', () => {
    const queue = new PriorityQueue<Entry>().with('a', 1, { key: 'a', priority: 1 });
    expect(queue.without('b')).toBe(queue);
  });

  test('orders text priorities by text', () => {
    const priorities = ['20', '10', '9'];
    const queue = priorities.reduce(
      (rest, priority) => rest.with(`at ${priority}`, priority, priority),
      new PriorityQueue<string>(),
    );
    expect([...queue.values()]).toEqual(['10', '20', '9']);
  });

  test('of many thousands in falling order is iterated without a deep stack', () => {
    const many = Array.from({ length: 20_000 }, (_, at) => ({ key: String(at), priority: 20_000 - at }));
    const queue = many.reduce((rest, entry) => rest.with(entry.key, entry.priority, entry), new PriorityQueue<Entry>());
    expect([...queue.values()]).toEqual(many.toReversed());
  });
});
