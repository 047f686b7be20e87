import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { NO_STREAM, STREAM_EXISTS } from '@eventstore/db-client';
import { errorType, happened, newStream, numberOf, openPeer, openScene, type Scene, sharedScene } from './scene.ts';

// Starting a server takes seconds on a busy machine.
setDefaultTimeout(30_000);

const scene = sharedScene(openScene);

async function revisions(stream: string, { client }: Scene = scene): Promise<unknown[]> {
  return (await Array.fromAsync(client.readStream(stream))).map(({ event }) => event?.revision);
}

describe('a deleted stream', () => {
  test('is not found; a later append continues its revisions', async () => {
    const { client } = scene;
    const stream = newStream();
    await client.appendToStream(stream, happened(0, 1));
    await client.deleteStream(stream, { expectedRevision: 1n });
    expect(await errorType(Array.fromAsync(client.readStream(stream)))).toBe('stream-not-found');

    const again = await client.appendToStream(stream, happened(2), { expectedRevision: NO_STREAM });
    expect(again.nextExpectedRevision).toBe(2n);
    expect(await revisions(stream)).toEqual([2n]);
    expect((await client.getStreamMetadata(stream)).metadata as unknown).toEqual({ truncateBefore: 2 });
  });

  test('accepts its last revision, but does not count as existing', async () => {
    const { client } = scene;
    const stream = newStream();
    await client.appendToStream(stream, happened(0));
    await client.deleteStream(stream);
    const existing = client.appendToStream(stream, happened(1), { expectedRevision: STREAM_EXISTS });
    expect(await errorType(existing)).toBe('stream-deleted');
    await client.appendToStream(stream, happened(1), { expectedRevision: 0n });
    expect(await revisions(stream)).toEqual([1n]);
  });

  test('still recognizes the ids of its events', async () => {
    const { client } = scene;
    const stream = newStream();
    const events = happened(0);
    await client.appendToStream(stream, events, { expectedRevision: NO_STREAM });
    await client.deleteStream(stream);
    const again = await client.appendToStream(stream, events, { expectedRevision: NO_STREAM });
    expect(again.nextExpectedRevision).toBe(0n);
    expect(await errorType(Array.fromAsync(client.readStream(stream)))).toBe('stream-not-found');
  });

  test('must have existed, at the expected revision', async () => {
    const { client } = scene;
    expect(await errorType(client.deleteStream(newStream()))).toBe('wrong-expected-version');
    const stream = newStream();
    await client.appendToStream(stream, happened(0, 1));
    expect(await errorType(client.deleteStream(stream, { expectedRevision: 0n }))).toBe('wrong-expected-version');
  });
});

test('a stream with a tombstone is closed permanently', async () => {
  const { client } = scene;
  const stream = newStream();
  const { position } = await client.appendToStream(stream, happened(0));
  await client.tombstoneStream(stream, { expectedRevision: 0n });
  expect(await errorType(Array.fromAsync(client.readStream(stream)))).toBe('stream-deleted');
  expect(await errorType(client.appendToStream(stream, happened(1)))).toBe('stream-deleted');
  const alone = { credentials: { username: 'admin', password: 'changeit' } };
  expect(await errorType(client.appendToStream(stream, happened(1), alone))).toBe('stream-deleted');
  expect(await errorType(client.setStreamMetadata(stream, { maxCount: 1 }))).toBe('stream-deleted');
  expect(await errorType(client.deleteStream(stream))).toBe('stream-deleted');
  if (position === undefined) throw new Error('the append returned no position');
  const all = await Array.fromAsync(client.readAll({ fromPosition: position }));
  const types = all.filter(({ event }) => event?.streamId === stream).map(({ event }) => event?.type as unknown);
  expect(types).toEqual(['Happened', '$streamDeleted']);
});

describe('metadata', () => {
  test('set the first readable revision of a stream', async () => {
    const { client } = scene;
    const stream = newStream();
    await client.appendToStream(stream, happened(0, 1, 2, 3));
    await client.setStreamMetadata(stream, { truncateBefore: 3, custom: 'kept' });
    expect(await revisions(stream)).toEqual([3n]);
    const { metadata } = await client.getStreamMetadata(stream);
    expect(metadata as unknown).toEqual({ truncateBefore: 3, custom: 'kept' });
  });

  test('set the number of readable events', async () => {
    const { client } = scene;
    const stream = newStream();
    await client.setStreamMetadata(stream, { maxCount: 2 });
    await client.appendToStream(stream, happened(0, 1, 2, 3));
    expect(await revisions(stream)).toEqual([2n, 3n]);
    await client.appendToStream(stream, happened(4));
    expect(await revisions(stream)).toEqual([3n, 4n]);
  });

  test('are a separate stream whose last event counts', async () => {
    const { client } = scene;
    const stream = newStream();
    await client.setStreamMetadata(stream, { maxCount: 2 }, { expectedRevision: NO_STREAM });
    await client.setStreamMetadata(stream, { maxCount: 1 }, { expectedRevision: 0n });
    expect(await revisions(`$$${stream}`)).toEqual([1n]);
    expect(await errorType(client.setStreamMetadata(stream, {}, { expectedRevision: 0n }))).toBe(
      'wrong-expected-version',
    );
    // Metadata make the stream exist, although it is empty.
    expect((await client.appendToStream(stream, happened(0), { expectedRevision: STREAM_EXISTS })).success).toBe(true);
  });
});

describe('a server whose clock advances', () => {
  test('drops events older than $maxAge', async () => {
    await using peer = await openPeer();
    const stream = newStream();
    await peer.client.setStreamMetadata(stream, { maxAge: 60 });
    await peer.client.appendToStream(stream, happened(0));
    await peer.peer.advance(40_000);
    await peer.client.appendToStream(stream, happened(1));
    expect(await revisions(stream, peer)).toEqual([0n, 1n]);
    await peer.peer.advance(30_000);
    expect(await revisions(stream, peer)).toEqual([1n]);
  });
});

describe('a scavenge', () => {
  test('removes unreadable events from $all and from the file, except the last of a stream', async () => {
    await using peer = await openPeer();
    const { client } = peer;
    const [truncated, deleted, closed] = [newStream(), newStream(), newStream()];
    for (const stream of [truncated, deleted, closed]) await client.appendToStream(stream, happened(10, 11, 12));
    await client.setStreamMetadata(truncated, { truncateBefore: 2 });
    await client.deleteStream(deleted);
    await client.tombstoneStream(closed);
    const stored = await numbersIn(peer);
    await peer.peer.scavenge();
    const left = await numbersIn(peer);
    expect([stored, left]).toEqual([
      [10, 11, 12, 10, 11, 12, 10, 11, 12],
      [12, 12],
    ]);
    expect((await Bun.file(peer.data).text()).split('"n":').length - 1).toBe(2);
    const again = await client.appendToStream(deleted, happened(13), { expectedRevision: NO_STREAM });
    expect(again.nextExpectedRevision).toBe(3n);
    expect(await revisions(truncated, peer)).toEqual([2n]);
  });
});

async function numbersIn({ client }: Scene): Promise<unknown[]> {
  const all = await Array.fromAsync(client.readAll());
  return all.filter(({ event }) => event?.type === 'Happened').map(({ event }) => numberOf(event));
}
