import { describe, expect, test } from 'bun:test';
import { type Collection, ObjectId } from 'mongodb';
import { EVENTSTOREDB_POSITIONS } from '../../../src/adapters/eventstoredb/positions.ts';
import { type Bulks, bulksFor } from '../../../src/adapters/mongodb/database.ts';
import { gathered } from '../../../src/adapters/mongodb/gathered.ts';
import { writeGuarded } from '../../../src/adapters/mongodb/guarded-writes.ts';
import type { WrittenDocument } from '../../../src/adapters/mongodb/read-model-query.ts';
import type { Position } from '../../../src/eventsourcing/message.ts';
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

describe('documents written in bulk', () => {
  /** The sizes of the commands, and the most that were on their way at once. */
  async function written(count: number, bulks: Bulks) {
    const sizes: number[] = [];
    let [open, mostAtOnce] = [0, 0];
    const collection = {
      async bulkWrite(operations: readonly object[]) {
        sizes.push(operations.length);
        mostAtOnce = Math.max(mostAtOnce, ++open);
        await new Promise(setImmediate);
        open--;
        return { insertedCount: operations.length, matchedCount: 0 };
      },
    };
    const writes = Array.from({ length: count }, (_, n) => ({
      id: `${n}`,
      doc: {},
      position: 1 as Position,
      loaded: null,
    }));
    // A collection that only counts.
    const counting = collection as unknown as Collection<WrittenDocument>;
    const positions = EVENTSTOREDB_POSITIONS;
    expect(await writeGuarded(counting, writes, { generation: new ObjectId(), positions, bulks })).toEqual([]);
    return { sizes, mostAtOnce };
  }

  test('are 1,000 in a command on MongoDB, and several commands are sent at once', async () => {
    const bulks = bulksFor({ version: '8.0.4', maxBsonObjectSize: 16_777_216 });
    expect(await written(2_500, bulks)).toEqual({ sizes: [1_000, 1_000, 500], mostAtOnce: 3 });
    expect((await written(20_000, bulks)).mostAtOnce).toBe(8);
  });

  test.each([{ ferretdbVersion: 'v1.24.2' }, { ferretdb: { version: 'v2.5.0' } }])(
    'are 50 in a command on FerretDB, one command after the other: %j',
    async (own) => {
      const bulks = bulksFor({ version: '7.0.42', ...own });
      expect(await written(120, bulks)).toEqual({ sizes: [50, 50, 20], mostAtOnce: 1 });
    },
  );
});
