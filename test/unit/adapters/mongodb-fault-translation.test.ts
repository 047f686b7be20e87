import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test';
import { MongoServerSelectionError, type TopologyDescription } from 'mongodb';
import { readModelsOf, translateFaults } from '../../../src/adapters/mongodb/fault-translation.ts';
import { openReadModelStore } from '../../../src/adapters/sqlite/read-model-store.ts';
import { SECOND_MS } from '../../../src/eventsourcing/durations.ts';
import type { Position } from '../../../src/eventsourcing/message.ts';
import type { StoredDocument } from '../../../src/ports/read-model-store.ts';
import { pause } from '../../chaos/kill/real-time.ts';
import { faultOf } from '../../support/fault.ts';

test('if no server is found, the fault names the call, the deadline and the cause', async () => {
  // The error reads only this member of the description.
  const nobody: unknown = { error: null };
  const cause = new MongoServerSelectionError('no server', nobody as TopologyDescription);
  const fault = await faultOf(() => translateFaults('usage counters')('take quota of key_1', Promise.reject(cause)));
  expect(fault).toMatchObject({
    engine: 'usage counters',
    cause,
    failed: {
      call: 'take quota of key_1',
      deadline: { name: 'MongoDB server selection', ms: 5_000 },
      tookMs: expect.any(Number),
    },
  });
});

describe('a comparison of two collections', () => {
  const IDS = ['a', 'b', 'c', 'd', 'e'];

  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** Reads one document in so long. */
  async function* scanned(collection: string, pageMs: number): AsyncGenerator<StoredDocument> {
    for (const id of IDS) {
      await pause(pageMs);
      yield { id, doc: { from: id === 'e' ? collection : '' }, position: 1 as Position };
    }
  }

  async function compared(pageMs: number): Promise<readonly string[]> {
    const embedded = openReadModelStore(':memory:');
    const readModels = readModelsOf({ ...embedded, scan: (collection) => scanned(collection, pageMs) });
    const found = Array.fromAsync(readModels.differing('left', 'right'));
    found.catch(() => {});
    for (let pages = IDS.length; pages > 0; pages--) {
      await turn();
      jest.advanceTimersByTime(pageMs);
    }
    await embedded.close();
    return found;
  }

  test('takes as long as it takes: only an answer of MongoDB has a time limit', async () => {
    expect(await compared(15 * SECOND_MS)).toEqual(['e']);
  });

  test('fails if MongoDB does not answer', async () => {
    expect(await faultOf(() => compared(17 * SECOND_MS))).toMatchObject({ failed: { call: 'scan of left' } });
  });
});

/** Lets everything run that waits for no timer. */
async function turn(): Promise<void> {
  for (let step = 0; step < 20; step++) await Promise.resolve();
}
