import { describe, expect, test } from 'bun:test';
import { copyFileSync } from 'node:fs';
import { connectEventStore } from '../../src/adapters/eventstoredb/event-store.ts';
import { LogReplaced } from '../../src/adapters/eventstoredb/faults.ts';
import { EVENTSTOREDB_POSITIONS } from '../../src/adapters/eventstoredb/positions.ts';
import { readEventStoreUrl } from '../../src/adapters/eventstoredb/server-url.ts';
import { START, storedPosition } from '../../src/eventsourcing/message.ts';
import { NO_STREAM } from '../../src/ports/event-store.ts';
import { EventStoreDbPeer } from '../support/eventstoredb-peer.ts';
import { collectedLog } from '../support/log.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { sceneOf } from './event-store/outage.ts';
import { isAnswering } from './event-store/remote.ts';
import { appended, eventsIn, follow, newEvents } from './event-store/scene.ts';

/** EventStoreDB's value for "no position". */
const NO_POSITION = storedPosition(`${2n ** 64n - 1n}/${2n ** 64n - 1n}`, EVENTSTOREDB_POSITIONS);

describe('a subscription from the start', () => {
  // Fewer events than `checkpointInterval x maxSearchWindow`: the server sends 2^64-1 as its checkpoint.
  test('of a short log without a match ends at the head of the log, and resumes from there', async () => {
    await using scene = await sceneOf();
    await appended(scene.store, 'allotment-1', NO_STREAM, newEvents(3));
    const [first] = await follow(scene.store, { categories: ['booking'] }, (_, { caughtUp }) => caughtUp);
    expect(first).toEqual({ events: [], upTo: await scene.store.head(), caughtUp: true });
    await appended(scene.store, 'booking-1', NO_STREAM, newEvents(1));
    const resumed = await follow(
      scene.store,
      { after: first?.upTo ?? START, categories: ['booking'] },
      (events) => events.length > 0,
    );
    expect(eventsIn(resumed).map(({ stream }) => stream)).toEqual(['booking-1']);
  });
});

describe('a checkpoint', () => {
  test('of 2^64-1, which earlier versions stored, is not a position', async () => {
    await using scene = await sceneOf();
    await appended(scene.store, 'booking-1', NO_STREAM, newEvents(1));
    expect(await scene.store.check({ position: NO_POSITION, lastEvent: null })).toEqual({ kind: 'no-position' });
  });

  test('between two records is not in the log', async () => {
    await using scene = await sceneOf();
    const { position } = await appended(scene.store, 'booking-1', NO_STREAM, newEvents(1));
    await appended(scene.store, 'booking-2', NO_STREAM, newEvents(1));
    const { positions } = scene.store;
    const [commit = ''] = positions.format(position).split('/');
    const between = String(BigInt(commit) + 1n).padStart(20, '0');
    const off = `${between}/${between}`;
    expect(await scene.store.check({ position: storedPosition(off, positions), lastEvent: null })).toEqual({
      kind: 'not-in-log',
      reason: `no record of the log begins at ${off}`,
    });
  });
});

describe('a log that an older copy replaces while the store is open', () => {
  test.each([
    ['shorter', false],
    ['grown since', true],
  ])('%s: every call fails', async (_, growAgain) => {
    using directory = temporaryDirectory();
    const [data, older] = [directory.file('events.log'), directory.file('older.log')];
    let peer = await EventStoreDbPeer.start({ data });
    const { port, url } = peer;
    const read = readEventStoreUrl(url);
    if (read.kind === 'fault') throw new Error(read.rule);
    const faults: LogReplaced[] = [];
    const store = connectEventStore(read.server, {
      log: collectedLog(),
      electionMs: 500,
      onReplaced: (fault) => faults.push(fault),
    });
    try {
      await appended(store, 'booking-1', NO_STREAM, newEvents(2));
      copyFileSync(data, older);
      await appended(store, 'booking-2', NO_STREAM, newEvents(2));
      await store.head();
      const subscriber = follow(store, {}, () => false);
      await peer.kill();
      peer = await EventStoreDbPeer.start({ data: older, port });
      if (growAgain) {
        const other = connectEventStore(read.server, { log: collectedLog() });
        await appended(other, 'booking-3', NO_STREAM, newEvents(9));
        await other.close();
      }
      const calls = [
        () => store.append('booking-2', 1, newEvents(1)),
        () => store.read('booking-1'),
        () => store.head(),
        () => store.erase('guest-1'),
      ];
      for (const call of calls) expect(await call().catch((fault: unknown) => fault)).toBeInstanceOf(LogReplaced);
      expect(await isAnswering(store)).toBe(false);
      expect(faults).toHaveLength(1);
      await store.close();
      await subscriber;
    } finally {
      await store.close();
      await peer.kill();
    }
  });

  test('is not reported if the server restarts with the same log', async () => {
    await using scene = await sceneOf();
    await appended(scene.store, 'booking-1', NO_STREAM, newEvents(2));
    await scene.store.head();
    for (let n = 0; n < 3; n++) {
      await scene.restart();
      await appended(scene.store, `allotment-${n}`, NO_STREAM, newEvents(1));
    }
    expect((await scene.store.read('booking-1')).kind).toBe('events');
  });
});
