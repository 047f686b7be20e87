import { describe, expect, test } from 'bun:test';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { apiKeyCodec } from '../../../src/domain/apikey/decider.ts';
import { decodeEvent } from '../../../src/domain/codecs.ts';
import { UnknownEvent } from '../../../src/eventsourcing/codec.ts';
import { type Position, START } from '../../../src/eventsourcing/message.ts';
import type { ReaderBatch } from '../../../src/ports/log-follower.ts';
import { decodedStore } from '../../../src/runtime/decoded-store.ts';
import { Progress } from '../../../src/runtime/progress.ts';
import { createUnknownEvents } from '../../../src/runtime/unknown-events.ts';
import { faultOf } from '../../support/fault.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const READER = 'projection keys.v6.b1';
const KNOWN = apiKeyCodec.encode({ type: 'KeyDeactivated', data: { at: SOME_CAUSE.at } });

/** A log as it is, and as this release reads it. */
function scene() {
  const directory = temporaryDirectory();
  const store = openEventStore(directory.file('events.db'));
  const [log, ids] = [collectedLog(), seededIds()];
  const unknownEvents = createUnknownEvents(log);
  const readable = decodedStore(store, { decode: decodeEvent, unknownEvents });
  return {
    log,
    unknownEvents,
    readable,
    async append(stream: string, ...types: readonly string[]): Promise<void> {
      const events = types.map((type) => ({ id: ids.uuid(), type, data: KNOWN.data, cause: SOME_CAUSE }));
      await store.append(stream, -1, events);
    },
    /** The batches that a reader receives before a fault or the end of the log. */
    async read(categories: readonly string[], resumeAt = () => Promise.resolve(START)) {
      const batches: ReaderBatch[] = [];
      const over = new AbortController();
      const apply = (batch: ReaderBatch): void => {
        batches.push(batch);
        if (batch.caughtUp) over.abort();
      };
      const reading = { reader: READER, categories, progress: new Progress(), resumeAt, apply, log };
      try {
        await readable.follower.follow({ ...reading, signal: over.signal });
        return { fault: null, batches };
      } catch (fault) {
        return { fault, batches };
      }
    },
    async [Symbol.asyncDispose]() {
      await readable.close();
      directory.remove();
    },
  };
}

describe('a log that a newer release wrote to', () => {
  for (const type of ['KeyLent.v1', 'KeyDeactivated.v2']) {
    test(`is read up to ${type}, and no further`, async () => {
      await using at = scene();
      await at.append('apikey-a', KNOWN.type);
      await at.append('apikey-b', type, KNOWN.type);
      const { fault, batches } = await at.read(['apikey']);
      const readEvents = batches.flatMap(({ events }) => events);
      expect(readEvents.map(({ stream }) => stream)).toEqual(['apikey-a']);
      expect(batches.at(-1)).toMatchObject({ upTo: readEvents[0]?.position, caughtUp: false });
      expect(fault).toEqual(new UnknownEvent('apikey', type));
      expect(at.unknownEvents.types()).toEqual([type]);
    });

    test(`has streams that cannot be read: ${type}`, async () => {
      await using at = scene();
      await at.append('apikey-b', KNOWN.type, type);
      expect(await faultOf(() => at.readable.read('apikey-b'))).toEqual(new UnknownEvent('apikey', type));
      expect(await faultOf(() => at.readable.last('apikey-b'))).toEqual(new UnknownEvent('apikey', type));
    });
  }

  test('is read by readers of other categories, and in categories that are not of the domain', async () => {
    await using at = scene();
    await at.append('apikey-b', 'KeyLent.v1');
    await at.append('checkpoint-someone', 'CheckpointStored.v9');
    await at.append('venue-a', 'DeviceRemoved.v1');
    const { fault, batches } = await at.read(['venue', 'checkpoint']);
    expect([fault, batches.flatMap(({ events }) => events).length]).toEqual([null, 1]);
    expect(await at.readable.last('apikey-nobody')).toBeNull();
    expect(at.unknownEvents.types()).toEqual([]);
  });

  test('is logged once for each type', async () => {
    await using at = scene();
    await at.append('apikey-b', 'KeyLent.v1');
    await at.append('apikey-c', 'KeyLost.v1');
    for (const stream of ['apikey-b', 'apikey-b', 'apikey-c']) await faultOf(() => at.readable.read(stream));
    expect(at.log.lines.map(({ level, facts }) => [level, facts?.['type']])).toEqual([
      ['error', 'KeyLent.v1'],
      ['error', 'KeyLost.v1'],
    ]);
  });
});

describe('a reader of the log', () => {
  test('stopped by a fault is listed with its reason, logged once, and removed when it works again', async () => {
    await using at = scene();
    await at.append('apikey-a', KNOWN.type);
    const beyond = 99 as Position;
    const listed: string[] = [];
    await at.read(['apikey'], async () => {
      listed.push(
        ...at.unknownEvents
          .stoppedReaders()
          .entries()
          .map((entry) => entry.join(': ')),
      );
      return listed.length < 2 ? beyond : START;
    });
    const reason = `${READER}: the log ends at ${'1'.padStart(16, '0')}, before ${'99'.padStart(16, '0')}`;
    expect(listed).toEqual([reason, reason]);
    expect(at.unknownEvents.stoppedReaders().size).toBe(0);
    expect(at.log.lines.map(({ happening }) => happening)).toEqual([
      'reader of the log stopped by a fault',
      'reader of the log works again',
    ]);
  });
});
