import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { OrderedMap } from '../../../src/collections/ordered-map.ts';

const anyKey = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 60 }).map((number) => `claim_${number}`) },
  fc.constantFrom('', ' ', '0', 'é', '日', 'constructor', '__proto__'),
);
const anyStep = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('with' as const), key: anyKey, value: fc.nat(99) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('without' as const), key: anyKey }) },
);
const anySteps = fc.array(anyStep, { maxLength: 300, size: 'max' });

type Step = typeof anyStep extends fc.Arbitrary<infer Value> ? Value : never;

function apply(map: OrderedMap<string, number>, step: Step): OrderedMap<string, number> {
  return step.kind === 'with' ? map.with(step.key, step.value) : map.without(step.key);
}

/** The model: the same step on a `Map`. */
function applyToModel(model: ReadonlyMap<string, number>, step: Step): ReadonlyMap<string, number> {
  const next = new Map(model);
  if (step.kind === 'with') next.set(step.key, step.value);
  else next.delete(step.key);
  return next;
}

function contents(map: OrderedMap<string, number>): unknown {
  return { size: map.size, first: map.first, entries: [...map.entries()], values: [...map.values()] };
}

function contentsOfModel(model: ReadonlyMap<string, number>): unknown {
  const entries = [...model].toSorted(([left], [right]) => (left < right ? -1 : 1));
  const values = entries.map(([, value]) => value);
  return { size: model.size, first: values[0], entries, values };
}

/** How many keys a lookup of the absent key `missing` is compared with. */
function comparisonsOf(map: OrderedMap<number, number>, missing: number): number {
  let count = 0;
  const counting = {
    valueOf() {
      count++;
      return missing;
    },
  };
  expect(map.get(counting as unknown as number)).toBeUndefined();
  return count;
}

/** The height of a tree whose subtrees differ in weight by a factor of at most 3: log of the weight to the base 4/3. */
function maxHeight(size: number): number {
  return Math.floor(Math.log(size + 1) / Math.log(4 / 3));
}

describe('an ordered map', () => {
  test('is empty at first', () => {
    const map = new OrderedMap<string, number>();
    expect(contents(map)).toStrictEqual({ size: 0, first: undefined, entries: [], values: [] });
    expect(map.get('claim_1')).toBeUndefined();
  });

  test('equals a Map sorted by key after any steps', () => {
    fc.assert(
      fc.property(anySteps, anyKey, (steps, key) => {
        const map = steps.reduce(apply, new OrderedMap<string, number>());
        const model = steps.reduce(applyToModel, new Map<string, number>());
        expect(contents(map)).toStrictEqual(contentsOfModel(model));
        expect(map.get(key)).toBe(model.get(key));
        for (const [known, value] of model) expect(map.get(known)).toBe(value);
      }),
    );
  });

  test('never changes: every earlier version keeps its contents', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        let map = new OrderedMap<string, number>();
        const versions = [{ map, before: contents(map) }];
        for (const step of steps) {
          map = apply(map, step);
          versions.push({ map, before: contents(map) });
        }
        for (const version of versions) expect(contents(version.map)).toStrictEqual(version.before);
      }),
      { numRuns: 25 },
    );
  });

  test('returns itself if the key to remove is absent', () => {
    const map = new OrderedMap<string, number>().with('claim_1', 1);
    expect(map.without('claim_2')).toBe(map);
  });

  test('orders numbers by value', () => {
    const keys = [10, 9, Number.POSITIVE_INFINITY, 0, -1];
    const map = keys.reduce((rest, key) => rest.with(key, key), new OrderedMap<number, number>());
    expect([...map.values()]).toStrictEqual([-1, 0, 9, 10, Number.POSITIVE_INFINITY]);
  });

  test('of sorted entries has them, is balanced, and stays so', () => {
    for (const size of [0, 1, 2, 3, 1_000, 20_000]) {
      const entries = Array.from({ length: size }, (_, key) => [key, key * 2] as const);
      const map = OrderedMap.ofSorted(entries);
      expect([...map.entries()]).toStrictEqual(entries.map(([key, value]) => [key, value]));
      expect(map.size).toBe(size);
      for (const absent of [-1, size / 2 + 0.5, size]) expect(comparisonsOf(map, absent)).toBeLessThanOrEqual(20);
      let less = map;
      for (let key = 0; key < size - 10; key++) less = less.without(key);
      expect([...less.values()]).toEqual(entries.slice(-10).map(([, value]) => value));
      expect(comparisonsOf(less, -1)).toBeLessThanOrEqual(maxHeight(less.size));
    }
  });

  const LAST = 19_999;
  const ORDERS: Readonly<Record<string, (step: number) => number>> = {
    rise: (step) => step,
    fall: (step) => LAST - step,
    'come from both ends to the middle': (step) => (step % 2 === 0 ? step / 2 : LAST - (step - 1) / 2),
  };

  test.each(Object.keys(ORDERS))('stays balanced when keys %s', (order) => {
    const keys = Array.from({ length: LAST + 1 }, (_, step) => ORDERS[order]?.(step) ?? 0);
    let map = new OrderedMap<number, number>();
    for (const key of keys) map = map.with(key, key);
    for (const absent of [-1, 9_999.5, LAST + 1]) expect(comparisonsOf(map, absent)).toBeLessThanOrEqual(20);
    const [left, removed] = [keys.slice(-10).toSorted((one, other) => one - other), keys.slice(0, -10)];
    for (const key of removed) map = map.without(key);
    expect([...map.values()]).toEqual(left);
    for (const absent of [-1, 9_999.5, LAST + 1])
      expect(comparisonsOf(map, absent)).toBeLessThanOrEqual(maxHeight(left.length));
  });

  test('stays balanced under any steps', () => {
    const step = fc.record({ key: fc.nat(400), isRemoval: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 600, size: 'max' }), fc.nat(400), (steps, below) => {
        const map = steps.reduce(
          (rest, { key, isRemoval }) => (isRemoval ? rest.without(key) : rest.with(key, key)),
          new OrderedMap<number, number>(),
        );
        expect(comparisonsOf(map, below + 0.5)).toBeLessThanOrEqual(maxHeight(map.size));
      }),
    );
  });
});
