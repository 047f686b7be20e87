import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import {
  ANY,
  binaryEvent,
  jsonEvent,
  NO_STREAM,
  STREAM_EXISTS,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { errorType, happened, newStream, openPeer, openScene, sharedScene } from './scene.ts';

// Starting a server takes seconds on a busy machine.
setDefaultTimeout(30_000);

const CREDENTIALS = { username: 'admin', password: 'changeit' };

/** The client appends in batches; an append with credentials is a unary call. */
const WAYS = [
  ['in a batch', {}],
  ['in a unary call', { credentials: CREDENTIALS }],
] as const;

const scene = sharedScene(openScene);

describe.each(WAYS)('an append %s', (_way, options) => {
  test('to a new stream starts at revision 0; later appends follow', async () => {
    const { client } = scene;
    const stream = newStream();
    const first = await client.appendToStream(stream, happened(0, 1), { expectedRevision: NO_STREAM, ...options });
    const second = await client.appendToStream(stream, happened(2), { expectedRevision: 1n, ...options });
    const third = await client.appendToStream(stream, happened(3), { expectedRevision: STREAM_EXISTS, ...options });
    const fourth = await client.appendToStream(stream, happened(4), { expectedRevision: ANY, ...options });
    const outcomes = [first, second, third, fourth];
    expect(outcomes.map(({ nextExpectedRevision }) => nextExpectedRevision)).toEqual([1n, 2n, 3n, 4n]);
    const positions = outcomes.map(({ position }) => position?.commit ?? -1n);
    expect(positions.toSorted((a, b) => Number(a - b))).toEqual(positions);
    expect(outcomes.map(({ position }) => position?.prepare ?? -2n)).toEqual(positions);
    const read = await Array.fromAsync(client.readStream(stream));
    expect(read.map(({ event }) => [event?.revision, event?.data])).toEqual(
      [0, 1, 2, 3, 4].map((n) => [BigInt(n), { n }]),
    );
  });

  const wrong = [
    ['no stream, but it exists', NO_STREAM, [0, 1], 'no_stream', 1n],
    ['a stream, but none exists', STREAM_EXISTS, [], 'stream_exists', 'no_stream'],
    ['a revision, but no stream exists', 0n, [], 0n, 'no_stream'],
    ['an earlier revision', 0n, [0, 1, 2], 0n, 2n],
    ['a later revision', 7n, [0, 1], 7n, 1n],
  ] as const;
  test.each(wrong)('that expects %s is refused with the actual revision', async (_, expected, there, says, current) => {
    const { client } = scene;
    const stream = newStream();
    if (there.length > 0) await client.appendToStream(stream, happened(...there));
    const refused: unknown = await client
      .appendToStream(stream, happened(9), { expectedRevision: expected, ...options })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(WrongExpectedVersionError);
    const { streamName, expectedVersion, actualVersion } = refused as WrongExpectedVersionError;
    expect([streamName, expectedVersion, actualVersion] as unknown[]).toEqual([stream, says, current]);
  });

  test('with the ids stored from the expected revision on returns the first outcome', async () => {
    const { client } = scene;
    const stream = newStream();
    const events = happened(0, 1);
    const first = await client.appendToStream(stream, events, { expectedRevision: NO_STREAM, ...options });
    await client.appendToStream(stream, happened(2), { expectedRevision: 1n, ...options });
    const changed = events.map((event) => ({ ...event, data: { n: 99 } }));
    expect(await client.appendToStream(stream, changed, { expectedRevision: NO_STREAM, ...options })).toEqual(first);
    const part = await client.appendToStream(stream, events.slice(0, 1), { expectedRevision: NO_STREAM, ...options });
    expect(part.nextExpectedRevision).toBe(0n);
    const read = await Array.fromAsync(client.readStream(stream));
    expect(read.map(({ event }) => event?.data)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
  });

  const expectations = [
    ['at the original revision', NO_STREAM],
    ['at any revision', ANY],
  ] as const;
  test.each(expectations)(
    'with the first ids of an earlier append, %s, returns revision and position of the last of them',
    async (_, expectedRevision) => {
      const { client } = scene;
      const stream = newStream();
      const events = happened(0, 1, 2);
      await client.appendToStream(stream, events, { expectedRevision: NO_STREAM, ...options });
      const part = await client.appendToStream(stream, events.slice(0, 2), { expectedRevision, ...options });
      const [, second, ...more] = await positionsIn(stream);
      expect([part.nextExpectedRevision, part.position, more.length] as unknown[]).toEqual([1n, second, 1]);
    },
  );

  test('with stored ids, among others or at another revision, is refused', async () => {
    const { client } = scene;
    const stream = newStream();
    const events = happened(0, 1);
    await client.appendToStream(stream, events, { expectedRevision: NO_STREAM, ...options });
    const append = (...[sent, expectedRevision]: [typeof events, bigint | typeof NO_STREAM]) =>
      errorType(client.appendToStream(stream, sent, { expectedRevision, ...options }));
    expect(await append([...events, ...happened(2)], NO_STREAM)).toBe('wrong-expected-version');
    expect(await append(events.slice(1), NO_STREAM)).toBe('wrong-expected-version');
    // At the end of the stream, ids are not compared.
    expect(await append(events, 1n)).toBe('no error');
    expect((await Array.fromAsync(client.readStream(stream))).length).toBe(4);
  });

  test('with the same ids at any revision is stored once', async () => {
    const { client } = scene;
    const stream = newStream();
    const events = happened(0, 1);
    const first = await client.appendToStream(stream, events, { expectedRevision: ANY, ...options });
    expect(await client.appendToStream(stream, events, { expectedRevision: ANY, ...options })).toEqual(first);
    expect(
      await errorType(
        client.appendToStream(stream, [...events, ...happened(2)], { expectedRevision: ANY, ...options }),
      ),
    ).toBe('wrong-expected-version');
    expect((await Array.fromAsync(client.readStream(stream))).length).toBe(2);
  });

  test('is stored completely, or beyond 1 MiB not at all', async () => {
    const { client } = scene;
    const stream = newStream();
    const half = () => binaryEvent({ type: 'Large', data: new Uint8Array(512 * 1024 - 100) });
    expect(await errorType(client.appendToStream(stream, [half(), half()], options))).toBe('no error');
    const tooMuch = client.appendToStream(stream, [half(), half(), half()], options);
    expect(await errorType(tooMuch)).toBe('maximum-append-size-exceeded');
    expect((await Array.fromAsync(client.readStream(stream))).length).toBe(2);
  });

  test('keeps all parts of an event', async () => {
    const { client } = scene;
    const stream = newStream('größe');
    const json = jsonEvent({ type: 'Ünïcode', data: { 'a "quoted" 名前': null }, metadata: { cause: 'none' } });
    const binary = binaryEvent({ type: 'Bytes', data: Uint8Array.of(0, 255, 10), metadata: Uint8Array.of(1, 2) });
    await client.appendToStream(stream, [json, binary], options);
    const [first, second] = await Array.fromAsync(client.readStream(stream));
    const { id, type, streamId, data, metadata, isJson } = first?.event ?? {};
    expect({ id, type, streamId, data, metadata, isJson } as object).toEqual({
      id: json.id,
      type: 'Ünïcode',
      streamId: stream,
      isJson: true,
      data: { 'a "quoted" 名前': null },
      metadata: { cause: 'none' },
    });
    expect(Buffer.from(second?.event?.data as Uint8Array)).toEqual(Buffer.from([0, 255, 10]));
    expect(Buffer.from(second?.event?.metadata as Uint8Array)).toEqual(Buffer.from([1, 2]));
    expect(second?.event?.isJson).toBe(false);
  });
});

test('of concurrent appends at one revision, exactly one wins', async () => {
  const { client } = scene;
  const stream = newStream();
  const attempts = Array.from({ length: 20 }, (_, n) =>
    errorType(client.appendToStream(stream, happened(n), { expectedRevision: NO_STREAM })),
  );
  const outcomes = await Promise.all(attempts);
  expect(outcomes.filter((outcome) => outcome === 'no error').length).toBe(1);
  expect(outcomes.filter((outcome) => outcome === 'wrong-expected-version').length).toBe(19);
});

test('an append sent in several messages is one append', async () => {
  const { client } = scene;
  const stream = newStream();
  const numbers = Array.from({ length: 50 }, (_, n) => n);
  await client.appendToStream(stream, happened(...numbers), { expectedRevision: NO_STREAM, batchAppendSize: 500 });
  const read = await Array.fromAsync(client.readStream(stream));
  expect(read.map(({ event }) => event?.data)).toEqual(numbers.map((n) => ({ n })));
});

test('a batch after its deadline is refused and not stored', async () => {
  const { client } = scene;
  const stream = newStream();
  await client.appendToStream(newStream(), happened(0));
  expect(await errorType(client.appendToStream(stream, happened(0), { deadline: -1 }))).toBe('deadline-exceeded');
  expect(await errorType(Array.fromAsync(client.readStream(stream)))).toBe('stream-not-found');
});

test('a server without batch appends receives unary appends', async () => {
  await using old = await openPeer({ batchAppend: false });
  const stream = newStream();
  await old.client.appendToStream(stream, happened(0), { expectedRevision: NO_STREAM });
  const again = old.client.appendToStream(stream, happened(1), { expectedRevision: NO_STREAM });
  expect(await errorType(again)).toBe('wrong-expected-version');
});

async function positionsIn(stream: string): Promise<unknown[]> {
  const all = await Array.fromAsync(scene.client.readAll());
  return all.filter(({ event }) => event?.streamId === stream).map(({ event }) => event?.position);
}
