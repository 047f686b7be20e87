import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { START } from '@eventstore/db-client';
import { happened, newStream, numberOf, openPeer, type PeerScene } from './scene.ts';

// Each starts programs, on machines that have other things to do.
setDefaultTimeout(30_000);

const CALLS = 200;
const SLOW = { p50Ms: 5, p99Ms: 60, pauseMs: 0, pauseEveryMs: 0, seed: 14 };

let scene: PeerScene;
beforeAll(async () => {
  scene = await openPeer({ durable: false });
});
afterAll(() => scene[Symbol.asyncDispose]());

/** How long calls made one after the other take (ms), the fastest first. */
async function taking(call: (n: number) => Promise<unknown>, calls = CALLS): Promise<readonly number[]> {
  const tookMs: number[] = [];
  for (let n = 0; n < calls; n++) {
    const beganMs = performance.now();
    await call(n);
    tookMs.push(performance.now() - beganMs);
  }
  return tookMs.sort((one, other) => one - other);
}

describe('a slow server', () => {
  test('delays appends and reads by the distribution that it was given, and no longer after `clear`', async () => {
    const { client, peer } = scene;
    const stream = newStream();
    const append = (n: number) => client.appendToStream(stream, happened(n));
    const read = () => Array.fromAsync(client.readStream(stream, { maxCount: 1 }));
    await append(0);
    await peer.latency(SLOW);
    let medianMs = 0;
    for (const call of [append, read]) {
      const tookMs = await taking(call);
      medianMs = tookMs[CALLS / 2] ?? 0;
      // Only from below: a busy machine adds time of its own.
      expect(medianMs).toBeGreaterThan(4);
      expect(tookMs[CALLS - 3]).toBeGreaterThan(30);
    }
    await peer.clearFaults();
    expect((await taking(read, 20))[0]).toBeLessThan(medianMs);
  });

  test('keeps the order of appends and of what a subscription delivers', async () => {
    const { client, peer } = scene;
    const stream = newStream();
    await peer.latency({ ...SLOW, p50Ms: 1, p99Ms: 20 });
    const subscription = client.subscribeToStream(stream, { fromRevision: START });
    const numbers = Array.from({ length: CALLS }, (_, n) => n);
    const appended = await Promise.all(numbers.map((n) => client.appendToStream(stream, happened(n))));
    expect(appended.map(({ nextExpectedRevision }) => Number(nextExpectedRevision))).toEqual(numbers);
    const delivered: number[] = [];
    for await (const { event } of subscription) if (delivered.push(numberOf(event)) === CALLS) break;
    expect(delivered).toEqual(numbers);
    await subscription.unsubscribe();
    await peer.clearFaults();
  });

  test('stands still now and then, and answers then what came meanwhile', async () => {
    const { client, peer } = scene;
    const stream = newStream();
    await peer.latency({ p50Ms: 1, p99Ms: 2, pauseMs: 400, pauseEveryMs: 200, seed: 14 });
    let appended = 0;
    // How many are answered before the first pause is the machine's to say. Without a pause this never ends.
    for (let tookMs = 0; tookMs <= 300; ) {
      const sentAtMs = performance.now();
      await client.appendToStream(stream, happened(appended++));
      tookMs = performance.now() - sentAtMs;
    }
    await peer.clearFaults();
    expect(await Array.fromAsync(client.readStream(stream))).toHaveLength(appended);
  });
});
