import { describe, expect, test } from 'bun:test';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { apiKeyCodec } from '../../../src/domain/apikey/decider.ts';
import { decodeEvent } from '../../../src/domain/codecs.ts';
import { UnknownEvent } from '../../../src/eventsourcing/codec.ts';
import { type Position, START } from '../../../src/eventsourcing/message.ts';
import { CheckpointNotInLog, type LogBatch } from '../../../src/ports/event-store.ts';
import { createUnknownEvents, decodedStore } from '../../../src/runtime/unknown-events.ts';
import { faultOf } from '../../support/fault.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

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
    /** The batches that a subscriber receives before a fault or the end of the log. */
    async read(categories?: readonly string[]) {
      const batches: LogBatch[] = [];
      const { signal } = new AbortController();
      const options = { after: START, signal, ...(categories === undefined ? {} : { categories }) };
      try {
        for await (const batch of readable.subscribe(options)) {
          batches.push(batch);
          if (batch.caughtUp) break;
        }
        return { fault: null, batches };
      } catch (fault) {
        return { fault, batches };
      }
    },
    async [Symbol.asyncDispose]() {
      await store.close();
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
      const { fault, batches } = await at.read();
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
    expect([fault, batches.flatMap(({ events }) => events).length]).toEqual([null, 2]);
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
  const { signal } = new AbortController();
  const reader = 'projection keys.v4.b1';

  test('stopped by a fault is listed with its reason, logged once, and removed when it works again', async () => {
    await using at = scene();
    await at.append('apikey-a', KNOWN.type);
    const beyond = 99 as Position;
    const read = async (after: Position) => {
      for await (const batch of at.readable.subscribe({ after, reader, signal })) return batch.upTo;
      return null;
    };
    for (let attempt = 0; attempt < 2; attempt++)
      expect(await faultOf(() => read(beyond))).toBeInstanceOf(CheckpointNotInLog);
    expect([...at.unknownEvents.stoppedReaders().keys()]).toEqual([reader]);
    expect(at.unknownEvents.stoppedReaders().get(reader)).toMatch(/^the log ends at 0+1, before 0+99$/);
    expect(at.log.lines.filter(({ happening }) => happening === 'reader of the log stopped by a fault')).toHaveLength(
      1,
    );
    await read(START);
    expect(at.unknownEvents.stoppedReaders().size).toBe(0);
  });
});
