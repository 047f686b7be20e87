import { describe, expect, test } from 'bun:test';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { createUnreadEvents, readableStore } from '../../../src/application/unread-events.ts';
import { apiKeyCodec } from '../../../src/domain/apikey/decider.ts';
import { UnknownEvent } from '../../../src/eventsourcing/codec.ts';
import { START } from '../../../src/eventsourcing/message.ts';
import type { LogBatch } from '../../../src/ports/event-store.ts';
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
  const unread = createUnreadEvents(log);
  const readable = readableStore(store, unread);
  return {
    log,
    unread,
    readable,
    async append(stream: string, ...types: readonly string[]): Promise<void> {
      const events = types.map((type) => ({ id: ids.uuid(), type, data: KNOWN.data, cause: SOME_CAUSE }));
      await store.append(stream, -1, events);
    },
    /** What a subscriber is told before it meets a fault, or the end of the log. */
    async told(categories?: readonly string[]) {
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
    test(`is told up to ${type}, and no further`, async () => {
      await using at = scene();
      await at.append('apikey-a', KNOWN.type);
      await at.append('apikey-b', type, KNOWN.type);
      const { fault, batches } = await at.told();
      const told = batches.flatMap(({ events }) => events);
      expect(told.map(({ stream }) => stream)).toEqual(['apikey-a']);
      expect(batches.at(-1)).toMatchObject({ upTo: told[0]?.position, caughtUp: false });
      expect(fault).toEqual(new UnknownEvent('apikey', type));
      expect(at.unread.types()).toEqual([type]);
    });

    test(`has streams that nobody decides on: ${type}`, async () => {
      await using at = scene();
      await at.append('apikey-b', KNOWN.type, type);
      expect(await faultOf(() => at.readable.read('apikey-b'))).toEqual(new UnknownEvent('apikey', type));
      expect(await faultOf(() => at.readable.last('apikey-b'))).toEqual(new UnknownEvent('apikey', type));
    });
  }

  test('is read as ever by who does not follow such streams, and where categories are none of the domain', async () => {
    await using at = scene();
    await at.append('apikey-b', 'KeyLent.v1');
    await at.append('checkpoint-someone', 'CheckpointStored.v9');
    await at.append('venue-a', 'DeviceRemoved.v1');
    const { fault, batches } = await at.told(['venue', 'checkpoint']);
    expect([fault, batches.flatMap(({ events }) => events).length]).toEqual([null, 2]);
    expect(await at.readable.last('apikey-nobody')).toBeNull();
    expect(at.unread.types()).toEqual([]);
  });

  test('is told to the operator once for each type', async () => {
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
