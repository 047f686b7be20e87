import { beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { END, NO_STREAM, START } from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import type { Fault } from '../../support/eventstoredb-peer.ts';
import { errorType, happened, newStream, openPeer, sharedScene } from './scene.ts';

// Starting a server takes seconds on a busy machine.
setDefaultTimeout(30_000);

const ALONE = { credentials: { username: 'admin', password: 'changeit' } };

const scene = sharedScene(() => openPeer());
beforeEach(() => scene.peer.clearFaults());

async function isThere(stream: string): Promise<boolean> {
  return (await errorType(Array.fromAsync(scene.client.readStream(stream)))) === 'no error';
}

describe('an injected fault of an append', () => {
  const faults: readonly (readonly [Fault['kind'], Fault, alone: string, inBatch: string, stored: boolean])[] = [
    ['timeout', { kind: 'timeout' }, 'timeout', 'deadline-exceeded', true],
    ['busy', { kind: 'busy' }, 'unavailable', 'unknown', false],
    ['unavailable', { kind: 'unavailable' }, 'unavailable', 'unavailable', false],
    ['disconnect', { kind: 'disconnect' }, 'unavailable', 'unavailable', true],
    ['delay', { kind: 'delay', ms: 50 }, 'no error', 'no error', true],
  ];
  test.each(faults)('%s happens once', async (_kind, fault, alone, inBatch, stored) => {
    for (const [expected, options] of [[alone, ALONE] as const, [inBatch, {}] as const]) {
      const stream = newStream();
      await scene.peer.fault('append', fault, { stream });
      const append = () =>
        scene.client.appendToStream(stream, happened(0), { expectedRevision: NO_STREAM, ...options });
      expect(await errorType(append())).toBe(expected);
      expect(await isThere(stream)).toBe(stored);
      expect(await errorType(append())).toBe(stored ? 'wrong-expected-version' : 'no error');
    }
  });

  test.each([
    ['lost', false],
    ['silent', true],
  ] as const)('%s: the append is not answered', async (kind, stored) => {
    for (const options of [ALONE, {}]) {
      const stream = newStream();
      await scene.peer.fault('append', { kind }, { stream });
      const pending = scene.client.appendToStream(stream, happened(0), options);
      // Later appends are answered, so this one would have been.
      await scene.client.appendToStream(newStream(), happened(0), options);
      await scene.client.appendToStream(newStream(), happened(0), options);
      const settled = await Promise.race([pending.then(() => true), isThere(stream).then(() => false)]);
      expect([settled, await isThere(stream)]).toEqual([false, stored]);
      const ended = errorType(pending);
      await scene.peer.dropConnections();
      expect(await ended).toBe('unavailable');
    }
  });

  test('happens the given number of times', async () => {
    const stream = newStream();
    await scene.peer.fault('append', { kind: 'timeout' }, { times: 2 });
    const outcomes: string[] = [];
    for (const n of [0, 1, 2]) outcomes.push(await errorType(scene.client.appendToStream(stream, happened(n))));
    expect(outcomes).toEqual(['deadline-exceeded', 'deadline-exceeded', 'no error']);
  });
});

describe('an injected fault of a read', () => {
  test.each([
    ['timeout', 'timeout'],
    ['busy', 'unavailable'],
    ['unavailable', 'unavailable'],
    ['disconnect', 'unavailable'],
  ] as const)('%s fails it once', async (kind, expected) => {
    const stream = newStream();
    await scene.client.appendToStream(stream, happened(0));
    await scene.peer.fault('read', { kind }, { stream });
    expect(await errorType(Array.fromAsync(scene.client.readStream(stream)))).toBe(expected);
    expect(await isThere(stream)).toBe(true);
  });

  test('lost: the read is pending until the connection ends, since reads have no deadline', async () => {
    const stream = newStream();
    await scene.client.appendToStream(stream, happened(0));
    await scene.peer.fault('read', { kind: 'lost' }, { stream });
    const read = errorType(Array.fromAsync(scene.client.readStream(stream, { deadline: 1 })));
    // The fault applies to the first of two reads only.
    expect(await isThere(stream)).toBe(true);
    await scene.peer.dropConnections();
    expect(await read).toBe('unavailable');
  });
});

describe('a subscription', () => {
  test('ends with an error if the server drops it', async () => {
    const subscription = scene.client.subscribeToAll({ fromPosition: END });
    await new Promise<void>((resolve) => subscription.once('caughtUp', () => resolve()));
    const ended = errorType(Array.fromAsync(subscription));
    await scene.peer.dropSubscriptions(status.UNKNOWN, 'Unexpected SubscriptionDropReason: SubscriberTooSlow');
    expect(await ended).toBe('unknown');
  });

  test('ends with an error if its connection breaks; another one continues', async () => {
    const stream = newStream();
    const first = scene.client.subscribeToStream(stream, { fromRevision: START });
    await new Promise<void>((resolve) => first.once('caughtUp', () => resolve()));
    const ended = errorType(Array.fromAsync(first));
    await scene.peer.dropConnections();
    expect(await ended).toBe('unavailable');
    await scene.client.appendToStream(stream, happened(0));
    for await (const { event } of scene.client.subscribeToStream(stream, { fromRevision: START })) {
      expect(event?.data as unknown).toEqual({ n: 0 });
      break;
    }
  });

  test('that is muted stays open and receives nothing, while another one of the same client does', async () => {
    const stream = newStream();
    const muted = scene.client.subscribeToStream(stream, { fromRevision: START });
    const received: unknown[] = [];
    for (const sign of ['data', 'error', 'end', 'close']) muted.on(sign, () => received.push(sign));
    await new Promise<void>((resolve) => muted.once('caughtUp', () => resolve()));
    await scene.peer.muteSubscriptions();
    const other = scene.client.subscribeToStream(stream, { fromRevision: START });
    await new Promise<void>((resolve) => other.once('caughtUp', () => resolve()));
    await scene.client.appendToStream(stream, happened(0));
    for await (const { event } of other) {
      expect(event?.data as unknown).toEqual({ n: 0 });
      break;
    }
    expect(received).toEqual([]);
    await muted.unsubscribe();
  });

  test('of a slow reader falls behind, and catches up without a gap', async () => {
    const stream = newStream();
    const subscription = scene.client.subscribeToStream(stream, { fromRevision: START }, { highWaterMark: 1 });
    const changes: string[] = [];
    subscription.on('fellBehind', () => changes.push('fell behind'));
    await new Promise<void>((resolve) => subscription.once('caughtUp', () => resolve()));
    subscription.on('caughtUp', () => changes.push('caught up'));
    const large = happened(...Array.from({ length: 100 }, (_, n) => n)).map((event) => ({
      ...event,
      metadata: { pad: 'x'.repeat(5_000) },
    }));
    for (let batch = 0; batch < 10; batch += 1) await scene.client.appendToStream(stream, fresh(large));
    const revisions: bigint[] = [];
    for await (const { event } of subscription) {
      revisions.push(event?.revision ?? -1n);
      if (revisions.length === 1_000) break;
    }
    expect(revisions).toEqual(Array.from({ length: 1_000 }, (_, n) => BigInt(n)));
    expect(changes[0]).toBe('fell behind');
  });
});

test('calls are counted by the category of their stream, and open subscriptions as they are', async () => {
  /** Of `$all`. */
  const readsAndSubscriptions = async () => {
    const { counts, openSubscriptions } = await scene.peer.calls();
    const [{ $all: reads = 0 }, { $all: subscriptions = 0 }] = [counts.reads, counts.subscriptions];
    return [reads, subscriptions, openSubscriptions];
  };
  const before = await readsAndSubscriptions();
  await scene.client.appendToStream('counted-1', happened(0));
  await scene.client.appendToStream('counted-2', happened(0), ALONE);
  await Array.fromAsync(scene.client.readStream('counted-1'));
  await Array.fromAsync(scene.client.readAll({ maxCount: 1 }));
  const subscription = scene.client.subscribeToAll({ fromPosition: END });
  await new Promise<void>((resolve) => subscription.once('caughtUp', () => resolve()));
  const { counts } = await scene.peer.calls();
  const [{ counted: appends }, { counted: reads }] = [counts.appends, counts.reads];
  expect([appends, reads]).toEqual([2, 1]);
  expect(await readsAndSubscriptions()).toEqual(before.map((count) => count + 1));
  await subscription.unsubscribe();
});

test('a paused server answers after it is resumed', async () => {
  const stream = newStream();
  await scene.client.appendToStream(newStream(), happened(0));
  scene.peer.pause();
  const pending = scene.client.appendToStream(stream, happened(0));
  scene.peer.resume();
  expect((await pending).nextExpectedRevision).toBe(0n);
});

function fresh<T extends { id: string }>(events: readonly T[]): T[] {
  return events.map((event) => ({ ...event, id: crypto.randomUUID() }));
}
