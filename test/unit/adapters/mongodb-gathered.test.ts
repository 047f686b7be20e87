import { describe, expect, test } from 'bun:test';
import { gathered } from '../../../src/adapters/mongodb/gathered.ts';
import { faultOf } from '../../support/fault.ts';

const SPACING_MS = 20;

/** Calls that are answered by their double, or as a test says. */
function scene(answer = (items: readonly number[]) => Promise.resolve(items.map((item) => item * 2))) {
  const sent: { readonly items: readonly number[]; readonly atMs: number }[] = [];
  const call = gathered((items: readonly number[]) => {
    sent.push({ items, atMs: performance.now() });
    return answer(items);
  }, SPACING_MS);
  return { call, sent, items: () => sent.map(({ items }) => items) };
}

describe('gathered calls', () => {
  test('of one turn make one command, and each gets its own result', async () => {
    const { call, items } = scene();
    expect(await Promise.all([1, 2, 3].map(call))).toEqual([2, 4, 6]);
    expect(items()).toEqual([[1, 2, 3]]);
  });

  test('soon after a command share the next one, which begins after the spacing', async () => {
    const { call, sent, items } = scene();
    await call(1);
    const second = call(2);
    await new Promise(setImmediate);
    await Promise.all([second, call(3)]);
    expect(items()).toEqual([[1], [2, 3]]);
    expect((sent[1]?.atMs ?? 0) - (sent[0]?.atMs ?? 0)).toBeGreaterThanOrEqual(SPACING_MS - 1);
  });

  test('are not delayed by a command that is not answered', async () => {
    const { call } = scene((items) => (items.includes(1) ? new Promise(() => {}) : Promise.resolve([...items])));
    void call(1);
    await new Promise(setImmediate);
    expect(await call(2)).toBe(2);
  });

  test('of a command that fails all reject, and later ones do not', async () => {
    const { call } = scene((items) =>
      items.includes(1) ? Promise.reject(new Error('no')) : Promise.resolve([...items]),
    );
    const failed = await Promise.all([1, 2].map((item) => faultOf(() => call(item))));
    expect(failed).toEqual([new Error('no'), new Error('no')]);
    expect(await call(3)).toBe(3);
  });

  test('are at most 50 in a command', async () => {
    const { call, items } = scene();
    await Promise.all(Array.from({ length: 120 }, (_, n) => call(n)));
    expect(items().map(({ length }) => length)).toEqual([50, 50, 20]);
  });
});
