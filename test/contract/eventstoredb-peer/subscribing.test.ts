import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import {
  type AllStreamSubscription,
  END,
  eventTypeFilter,
  excludeSystemEvents,
  jsonEvent,
  NO_STREAM,
  type Position,
  START,
  type StreamSubscription,
  streamNameFilter,
} from '@eventstore/db-client';
import { errorType, happened, newStream, numberOf, openScene, sharedScene } from './scene.ts';

// Starting a server takes seconds on a busy machine.
setDefaultTimeout(30_000);

const scene = sharedScene(openScene);

/** The first `count` numbers. */
async function take(subscription: AllStreamSubscription | StreamSubscription, count: number): Promise<number[]> {
  const taken: number[] = [];
  for await (const { event } of subscription) {
    taken.push(numberOf(event));
    if (taken.length === count) break;
  }
  return taken;
}

function caughtUp(subscription: AllStreamSubscription | StreamSubscription): Promise<void> {
  return new Promise((resolve) => subscription.once('caughtUp', () => resolve()));
}

async function positionOf(stream: string, numbers: readonly number[]): Promise<Position> {
  const { position } = await scene.client.appendToStream(stream, happened(...numbers));
  if (position === undefined) throw new Error('an append returned no position');
  return position;
}

describe('a subscription to a stream', () => {
  test('receives all events, then `caughtUp`, then new events', async () => {
    const { client } = scene;
    const stream = newStream();
    await client.appendToStream(stream, happened(...range(0, 99)));
    const subscription = client.subscribeToStream(stream, { fromRevision: START });
    const order: string[] = [];
    subscription.on('caughtUp', () => {
      order.push('caught up');
      void client.appendToStream(stream, happened(100, 101));
    });
    for await (const { event } of subscription) {
      order.push(String(numberOf(event)));
      if (event?.revision === 101n) break;
    }
    expect(order.filter((entry) => entry !== 'caught up')).toEqual(range(0, 101).map(String));
    expect(order.indexOf('caught up')).toBeLessThanOrEqual(100);
  });

  test('from a revision receives later events', async () => {
    const { client } = scene;
    const stream = newStream();
    await client.appendToStream(stream, happened(0, 1, 2, 3));
    expect(await take(client.subscribeToStream(stream, { fromRevision: 1n }), 2)).toEqual([2, 3]);
  });

  test('from the end receives only new events, also if the stream does not exist yet', async () => {
    const { client } = scene;
    const stream = newStream();
    const subscription = client.subscribeToStream(stream, { fromRevision: END });
    await caughtUp(subscription);
    await client.appendToStream(stream, happened(0, 1));
    expect(await take(subscription, 2)).toEqual([0, 1]);
  });

  test('receives the tombstone, then the error that the stream is deleted', async () => {
    const { client } = scene;
    const stream = newStream();
    await client.appendToStream(stream, happened(0));
    const subscription = client.subscribeToStream(stream, { fromRevision: START });
    const received: unknown[] = [];
    const ended = errorType(
      (async () => {
        for await (const { event } of subscription) received.push([event?.type, event?.revision]);
      })(),
    );
    await caughtUp(subscription);
    await client.tombstoneStream(stream);
    expect(await ended).toBe('stream-deleted');
    expect(received).toEqual([
      ['Happened', 0n],
      ['$streamDeleted', 2n ** 63n - 1n],
    ]);
  });

  test('does not notice a soft deletion', async () => {
    const { client } = scene;
    const stream = newStream();
    await client.appendToStream(stream, happened(0));
    const subscription = client.subscribeToStream(stream, { fromRevision: START });
    await caughtUp(subscription);
    await client.deleteStream(stream);
    await client.appendToStream(stream, happened(1));
    expect(await take(subscription, 2)).toEqual([0, 1]);
  });

  test('of a soft-deleted stream receives new events', async () => {
    const { client } = scene;
    const stream = newStream();
    await client.appendToStream(stream, happened(0));
    await client.deleteStream(stream);
    const subscription = client.subscribeToStream(stream, { fromRevision: START });
    await caughtUp(subscription);
    await client.appendToStream(stream, happened(1));
    expect(await take(subscription, 1)).toEqual([1]);
  });
});

describe('a subscription to $all', () => {
  test('from a position receives later events, from the end new events', async () => {
    const { client } = scene;
    const stream = newStream();
    const filter = streamNameFilter({ prefixes: [stream] });
    await client.appendToStream(stream, happened(0, 1));
    const position = await positionOf(stream, [2]);
    await client.appendToStream(stream, happened(3, 4));
    expect(await take(client.subscribeToAll({ fromPosition: position, filter }), 2)).toEqual([3, 4]);
    const atEnd = client.subscribeToAll({ fromPosition: END, filter });
    await caughtUp(atEnd);
    await client.appendToStream(stream, happened(5));
    expect(await take(atEnd, 1)).toEqual([5]);
  });

  test('without a filter receives all events in order of position', async () => {
    const { client } = scene;
    const start = await positionOf(newStream(), [0]);
    const streams = [newStream(), newStream()];
    for (const n of range(0, 39)) await client.appendToStream(streams[n % 2] ?? '', happened(n));
    expect(await take(client.subscribeToAll({ fromPosition: start }), 40)).toEqual(range(0, 39));
  });

  const word = `w${crypto.randomUUID().slice(0, 8)}`;
  const filters = [
    ['prefixes of streams', streamNameFilter({ prefixes: [`${word}-a`, `${word}-b`] }), [0, 1, 3]],
    ['an expression for streams', streamNameFilter({ regex: `^${word}-[bc]` }), [1, 2]],
    ['prefixes of event types', eventTypeFilter({ prefixes: [`${word}Did`] }), [0, 2]],
    ['an expression for event types', eventTypeFilter({ regex: `^${word}(Was|Is)$` }), [1, 3]],
  ] as const;
  test.each(filters)('filtered by %s receives matching events', async (_, filter, expected) => {
    const { client } = scene;
    const fromPosition = await positionOf(newStream(), [-1]);
    const types = ['DidOne', 'Was', 'DidTwo', 'Is'];
    for (const [n, stream] of ['a-1', 'b-1', 'c-1', 'a-2'].entries()) {
      const event = jsonEvent({ type: `${word}${types[n]}`, data: { n } });
      await client.appendToStream(`${word}-${stream}`, event);
    }
    expect(await take(client.subscribeToAll({ fromPosition, filter }), expected.length)).toEqual([...expected]);
  });

  test('without system events receives no metadata', async () => {
    const { client } = scene;
    const stream = newStream();
    const fromPosition = await positionOf(stream, [0]);
    await client.setStreamMetadata(stream, { maxCount: 5 });
    await client.appendToStream(stream, happened(1));
    const filter = excludeSystemEvents();
    expect(await take(client.subscribeToAll({ fromPosition, filter }), 1)).toEqual([1]);
    const everything = await Array.fromAsync(client.readAll({ fromPosition }));
    expect(everything.some(({ event }) => event?.streamId === `$$${stream}`)).toBe(true);
  });
});

test('a subscription receives thousands of stored and new events without a gap', async () => {
  const { client } = scene;
  const prefix = newStream();
  const filter = streamNameFilter({ prefixes: [prefix], checkpointInterval: 32 });
  const streams = range(1, 20).map((n) => `${prefix}-${n}`);
  const each = 250;
  const append = async (stream: string): Promise<void> => {
    for (let n = 0; n < each; n += 10) {
      const expectedRevision = n === 0 ? NO_STREAM : BigInt(n - 1);
      await client.appendToStream(stream, happened(...range(n, n + 9)), { expectedRevision });
    }
  };
  await Promise.all(streams.slice(0, 10).map(append));
  const subscription = client.subscribeToAll({ fromPosition: START, filter });
  const appended = Promise.all(streams.slice(10).map(append));
  const revisions = new Map<string, bigint[]>();
  const positions: bigint[] = [];
  for await (const { event } of subscription) {
    if (event === undefined) throw new Error('a resolved event is empty');
    positions.push(event.position.commit);
    revisions.set(event.streamId, [...(revisions.get(event.streamId) ?? []), event.revision]);
    if (positions.length === streams.length * each) break;
  }
  await appended;
  const complete = range(0, each - 1).map(BigInt);
  expect(revisions).toEqual(new Map([...revisions.keys()].map((stream) => [stream, complete])));
  expect([...revisions.keys()].toSorted()).toEqual(streams.toSorted());
  expect(new Set(positions).size).toBe(positions.length);
  expect(positions.toSorted((a, b) => Number(a - b))).toEqual(positions);
});

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}
