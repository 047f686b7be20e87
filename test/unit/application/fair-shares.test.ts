import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { fairShare } from '../../../src/application/fair-shares.ts';

const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const NOBODY = new Set<number>();
const of = (holders: string): readonly (string | null)[] =>
  holders.split('').map((holder) => (holder === '-' ? null : holder));
const share = (nodes: string, parts: string, me: string, givingAway: ReadonlySet<number> = NOBODY) =>
  [...fairShare({ nodes: nodes.split(''), parts: of(parts) }, me, givingAway)].sort((left, right) => left - right);

describe('the share of a node', () => {
  test('is everything while it is alone', () => {
    expect(share('a', '----', 'a')).toEqual([0, 1, 2, 3]);
  });

  test('of several that come at once is its own, so that they do not ask for the same', () => {
    expect(share('ab', '----', 'a')).toEqual([0, 2]);
    expect(share('ab', '----', 'b')).toEqual([1, 3]);
  });

  test('is what it has, as long as that is not too much', () => {
    expect(share('ab', 'bbaa', 'a')).toEqual([2, 3]);
    expect(share('ab', 'bbaa', 'b')).toEqual([0, 1]);
  });

  test('is less as soon as another comes, which asks for nothing that somebody has', () => {
    expect(share('ab', 'aaaa', 'a')).toEqual([0, 2]);
    expect(share('ab', 'aaaa', 'b')).toEqual([]);
  });

  test('has no part that it is giving away, and its place is taken by none before that is free', () => {
    expect(share('ab', 'aaaa', 'a', new Set([1, 3]))).toEqual([0, 2]);
    expect(share('a', 'aaa-', 'a', new Set([1]))).toEqual([0, 2, 3]);
  });

  test('grows by what a dead node leaves', () => {
    expect(share('bc', 'bbcc--', 'b')).toEqual([0, 1, 4]);
    expect(share('bc', 'bbcc--', 'c')).toEqual([2, 3, 5]);
  });

  test('is nothing for a node that is not among them', () => {
    expect(share('ab', 'aabb--', 'c')).toEqual([]);
    expect(share('', '----', 'c')).toEqual([]);
  });
});

test(`nodes that look again and again come to even shares of everything, whatever was before (seed ${SEED})`, () => {
  const scene = fc.record({
    nodes: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), { minLength: 1, maxLength: 7 }),
    before: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', null), { minLength: 16, maxLength: 16 }),
    order: fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 8 }),
  });
  fc.assert(
    fc.property(scene, ({ nodes, before, order }) => {
      // What somebody has who is not among them has run out.
      const parts = before.map((holder) => (holder !== null && nodes.includes(holder) ? holder : null));
      // Some look in any order, then each looks twice: once to give away, once to take.
      const looks = [...order.flatMap((at) => nodes[at % nodes.length] ?? []), ...nodes, ...nodes];
      for (const me of looks) {
        const mine = fairShare({ nodes, parts }, me, NOBODY);
        for (const part of mine) expect([null, me]).toContain(parts[part] ?? null);
        for (const part of parts.keys()) {
          if (mine.has(part)) parts[part] = me;
          else if (parts[part] === me) parts[part] = null;
        }
      }
      const sizes = nodes.map((node) => parts.filter((holder) => holder === node).length);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(16);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    }),
    { seed: SEED },
  );
});
