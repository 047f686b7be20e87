import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { PersistentMap } from '../../../src/domain/persistent-map.ts';

/** Sixteen keys with one 32-bit hash (FNV-1a), found by search: whatever the depth, they stay in one leaf. */
const COLLIDING = ['gwzx', '16cd']
  .flatMap((key) => [`${key}yyao`, `${key}1kia`])
  .flatMap((key) => [`${key}g3zx`, `${key}1pad`])
  .flatMap((key) => [`${key}epvu`, `${key}33ea`]);

const anyKey = fc.oneof(
  fc.integer({ min: 0, max: 60 }).map((number) => `claim_${number}`),
  fc.constantFrom(...COLLIDING, '', 'constructor', '__proto__'),
);
const anyStep = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('with' as const), key: anyKey, value: fc.nat(99) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('without' as const), key: anyKey }) },
);
const anySteps = fc.array(anyStep, { maxLength: 300, size: 'max' });

type Step = typeof anyStep extends fc.Arbitrary<infer Value> ? Value : never;

function apply(map: PersistentMap<number>, step: Step): PersistentMap<number> {
  return step.do === 'with' ? map.with(step.key, step.value) : map.without(step.key);
}

/** The same step on what every language has. */
function applyPlainly(map: ReadonlyMap<string, number>, step: Step): ReadonlyMap<string, number> {
  const next = new Map(map);
  if (step.do === 'with') next.set(step.key, step.value);
  else next.delete(step.key);
  return next;
}

function contents(map: PersistentMap<number> | ReadonlyMap<string, number>): unknown {
  const entries = [...map.entries()];
  return { size: map.size, entries: entries.length, values: new Map(entries) };
}

describe('a persistent map', () => {
  test('is empty at first', () => {
    const map = new PersistentMap<number>();
    expect(contents(map)).toStrictEqual({ size: 0, entries: 0, values: new Map() });
    expect(map.get('claim_1')).toBeUndefined();
  });

  test('answers like a Map after any steps', () => {
    fc.assert(
      fc.property(anySteps, anyKey, (steps, key) => {
        const map = steps.reduce(apply, new PersistentMap<number>());
        const plain = steps.reduce(applyPlainly, new Map<string, number>());
        expect(contents(map)).toStrictEqual(contents(plain));
        expect(map.get(key)).toBe(plain.get(key));
        for (const [known, value] of plain) expect(map.get(known)).toBe(value);
      }),
    );
  });

  test('leaves every earlier version as it was', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const versions = [{ map: new PersistentMap<number>(), before: contents(new PersistentMap<number>()) }];
        for (const step of steps) {
          const map = apply((versions.at(-1) as (typeof versions)[number]).map, step);
          versions.push({ map, before: contents(map) });
        }
        for (const { map, before } of versions) expect(contents(map)).toStrictEqual(before);
      }),
      { numRuns: 25 },
    );
  });

  test('is itself where there is nothing to remove', () => {
    const map = new PersistentMap<number>().with('claim_1', 1);
    expect(map.without('claim_2')).toBe(map);
  });

  test('keeps apart keys whose hashes are all the same', () => {
    const full = COLLIDING.reduce((map, key, index) => map.with(key, index), new PersistentMap<number>());
    expect(COLLIDING.map((key) => full.get(key))).toStrictEqual(COLLIDING.map((_, index) => index));
    const emptied = COLLIDING.reduce((map, key) => map.without(key), full);
    expect([full.size, emptied.size, [...emptied.entries()]]).toStrictEqual([16, 0, []]);
  });

  test('holds ten thousand claims', () => {
    const keys = Array.from({ length: 10_000 }, (_, index) => `bk_${index}.claim`);
    const map = keys.reduce((rest, key, index) => rest.with(key, index), new PersistentMap<number>());
    expect(keys.every((key, index) => map.get(key) === index)).toBe(true);
    expect([map.size, map.get('bk_10000.claim')]).toStrictEqual([10_000, undefined]);
  });

  test('that was large once holds what is left, and nothing else', () => {
    const keys = Array.from({ length: 5_000 }, (_, n) => `claim_${n}`);
    const large = keys.reduce((map, key, n) => map.with(key, n), new PersistentMap<number>());
    const left = keys.slice(20).reduce((map, key) => map.without(key), large);
    expect(contents(left)).toStrictEqual(contents(new Map(keys.slice(0, 20).map((key, n) => [key, n]))));
    const none = keys.slice(0, 20).reduce((map, key) => map.without(key), left);
    expect(contents(none)).toStrictEqual(contents(new Map()));
    expect(contents(none.with('claim_1', 1))).toStrictEqual(contents(new Map([['claim_1', 1]])));
  });
});
