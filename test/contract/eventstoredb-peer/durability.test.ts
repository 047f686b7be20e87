import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { appendFileSync, statSync, truncateSync } from 'node:fs';
import { EventStoreDBClient, NO_STREAM } from '@eventstore/db-client';
import { EventStoreDbPeer } from '../../support/eventstoredb-peer.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { errorType, happened, newStream } from './scene.ts';

// Starting a server takes seconds on a busy machine.
setDefaultTimeout(30_000);

/** Runs the work on a server that is started on the file and killed afterwards. */
async function withServer<T>(data: string, work: (client: EventStoreDBClient, peer: EventStoreDbPeer) => Promise<T>) {
  await using peer = await EventStoreDbPeer.start({ data });
  const client = EventStoreDBClient.connectionString(peer.url);
  try {
    return await work(client, peer);
  } finally {
    await client.dispose();
  }
}

async function numbers(client: EventStoreDBClient, stream: string): Promise<unknown[]> {
  const read = await Array.fromAsync(client.readStream(stream));
  return read.map(({ event }) => event?.data as unknown);
}

describe('a killed server', () => {
  test('restarts with all acknowledged events, and at most the append in progress', async () => {
    using directory = temporaryDirectory();
    const data = directory.file('events.log');
    const stream = newStream();
    const acknowledged = await withServer(data, async (client, peer) => {
      let last = -1;
      const appending = (async () => {
        for (;;) {
          const expectedRevision = last < 0 ? NO_STREAM : BigInt(last);
          await client.appendToStream(stream, happened(last + 1), { expectedRevision });
          last += 1;
          if (last === 50) void peer.kill();
        }
      })();
      expect(await errorType(appending)).toBe('unavailable');
      return last;
    });
    expect(acknowledged).toBeGreaterThanOrEqual(50);

    await withServer(data, async (client) => {
      const read = await numbers(client, stream);
      expect(read.length).toBeOneOf([acknowledged + 1, acknowledged + 2]);
      expect(read).toEqual(read.map((_, n) => ({ n })));
    });
  });

  test('keeps positions, ids, metadata and tombstones', async () => {
    using directory = temporaryDirectory();
    const data = directory.file('events.log');
    const [kept, closed] = [newStream(), newStream()];
    const events = happened(0, 1);
    const first = await withServer(data, async (client) => {
      const outcome = await client.appendToStream(kept, events, { expectedRevision: NO_STREAM });
      await client.setStreamMetadata(kept, { truncateBefore: 1 });
      await client.appendToStream(closed, happened(0));
      await client.tombstoneStream(closed);
      return outcome;
    });
    await withServer(data, async (client) => {
      expect(await client.appendToStream(kept, events, { expectedRevision: NO_STREAM })).toEqual(first);
      expect(await numbers(client, kept)).toEqual([{ n: 1 }]);
      expect(await errorType(client.appendToStream(closed, happened(1)))).toBe('stream-deleted');
      const next = await client.appendToStream(kept, happened(2), { expectedRevision: 1n });
      expect(next.position?.commit).toBeGreaterThan(first.position?.commit ?? 0n);
    });
  });
});

describe('a file', () => {
  test('with a torn last record loses exactly that record', async () => {
    using directory = temporaryDirectory();
    const data = directory.file('events.log');
    const stream = newStream();
    await withServer(data, async (client) => {
      await client.appendToStream(stream, happened(0));
      await client.appendToStream(stream, happened(1, 2, 3));
    });
    truncateSync(data, statSync(data).size - 1);
    await withServer(data, async (client) => {
      expect(await numbers(client, stream)).toEqual([{ n: 0 }]);
      await client.appendToStream(stream, happened(9), { expectedRevision: 0n });
    });
    await withServer(data, async (client) => {
      expect(await numbers(client, stream)).toEqual([{ n: 0 }, { n: 9 }]);
    });
  });

  test('that ends within a length field loses nothing else', async () => {
    using directory = temporaryDirectory();
    const data = directory.file('events.log');
    const stream = newStream();
    await withServer(data, (client) => client.appendToStream(stream, happened(0)));
    appendFileSync(data, Buffer.from([7, 0]));
    await withServer(data, async (client) => expect(await numbers(client, stream)).toEqual([{ n: 0 }]));
  });

  test('with damage in the middle is not served', async () => {
    using directory = temporaryDirectory();
    const data = directory.file('events.log');
    await withServer(data, async (client) => {
      await client.appendToStream(newStream(), happened(0));
      await client.appendToStream(newStream(), happened(1));
    });
    const bytes = await Bun.file(data).bytes();
    bytes[60] = (bytes[60] ?? 0) ^ 1;
    await Bun.write(data, bytes);
    expect(await errorType(EventStoreDbPeer.start({ data }))).toContain('the frame at byte 0 is damaged');
  });
});

test('a server ends on request, and when its test has ended', async () => {
  using directory = temporaryDirectory();
  await using asked = await EventStoreDbPeer.start({ data: directory.file('asked.log') });
  const client = EventStoreDBClient.connectionString(asked.url);
  await client.appendToStream(newStream(), happened(0));
  expect(await asked.stop()).toBe(0);
  await client.dispose();
  await using left = await EventStoreDbPeer.start({ data: directory.file('left.log') });
  expect(await left.leave()).toBe(0);
});
