import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { assignPartitions } from '../../../src/runtime/partition-assignment.ts';

const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const NOBODY = new Set<number>();
const of = (holders: string): readonly (string | null)[] =>
  holders.split('').map((holder) => (holder === '-' ? null : holder));
const share = (nodes: string, parts: string, me: string, givingAway: ReadonlySet<number> = NOBODY) =>
  [...assignPartitions({ members: nodes.split(''), holders: of(parts) }, me, givingAway)].sort(
    (left, right) => left - right,
  );

describe('the partitions assigned to a node', () => {
  test('are all of them while it is alone', () => {
    expect(share('a', '----', 'a')).toEqual([0, 1, 2, 3]);
  });

  test('differ between nodes that join together', () => {
    expect(share('ab', '----', 'a')).toEqual([0, 2]);
    expect(share('ab', '----', 'b')).toEqual([1, 3]);
  });

  test('are those that it holds, up to its quota', () => {
    expect(share('ab', 'bbaa', 'a')).toEqual([2, 3]);
    expect(share('ab', 'bbaa', 'b')).toEqual([0, 1]);
  });

  test('decrease when another node joins, which takes none that are held', () => {
    expect(share('ab', 'aaaa', 'a')).toEqual([0, 2]);
    expect(share('ab', 'aaaa', 'b')).toEqual([]);
  });

  test('exclude those it is releasing, which are not replaced before they are free', () => {
    expect(share('ab', 'aaaa', 'a', new Set([1, 3]))).toEqual([0, 2]);
    expect(share('a', 'aaa-', 'a', new Set([1]))).toEqual([0, 2, 3]);
  });

  test('include those of a dead node', () => {
    expect(share('bc', 'bbcc--', 'b')).toEqual([0, 1, 4]);
    expect(share('bc', 'bbcc--', 'c')).toEqual([2, 3, 5]);
  });

  test('are none for a node that is not a member', () => {
    expect(share('ab', 'aabb--', 'c')).toEqual([]);
    expect(share('', '----', 'c')).toEqual([]);
  });
});

test(`nodes converge to an even assignment of all partitions from any start (seed ${SEED})`, () => {
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
        const mine = assignPartitions({ members: nodes, holders: parts }, me, NOBODY);
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
