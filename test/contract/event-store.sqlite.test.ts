import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { DataDirectoryInUse, lockDataDirectory } from '../../src/adapters/sqlite/data-directory.ts';
import { openEventStore } from '../../src/adapters/sqlite/event-store.ts';
import { START } from '../../src/eventsourcing/message.ts';
import { type EventStore, MAX_APPEND_EVENTS, NO_STREAM } from '../../src/ports/event-store.ts';
import { StoreUnavailable } from '../../src/ports/store-unavailable.ts';
import { faultOf } from '../support/fault.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import {
  appended,
  eventsIn,
  eventsOf,
  follow,
  KEPT_EVENTS,
  newEvent,
  newEvents,
  type OpenedStore,
} from './event-store/scene.ts';
import { otherProcess } from './event-store/start-other-process.ts';
import { eventStoreContract } from './event-store.suite.ts';
import { reopening } from './reopening.ts';

function opened(directory: TemporaryDirectory): OpenedStore {
  const open = (): EventStore => openEventStore(directory.file('events.db'), { keptEvents: KEPT_EVENTS });
  return reopening(open(), open, () => directory.remove());
}

eventStoreContract('embedded, SQLite', async () => opened(temporaryDirectory()));

describe('the data directory', () => {
  test('is created if missing, for this user only', () => {
    using directory = temporaryDirectory();
    const path = directory.file('created/if/missing');
    const unlock = lockDataDirectory(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    unlock();
  });

  test('is refused to a second process; the message says what to do', async () => {
    using directory = temporaryDirectory();
    const unlock = lockDataDirectory(directory.path);
    await using second = otherProcess('hold', directory.path);
    expect(await second.line()).toBe(
      `DataDirectoryInUse: the data directory ${directory.path} is in use by another Waymark process; ` +
        'stop that one, or set DATA_DIR to a different directory',
    );
    unlock();
  });

  test('is free after it was unlocked', () => {
    using directory = temporaryDirectory();
    lockDataDirectory(directory.path)();
    lockDataDirectory(directory.path)();
  });

  test('is free after its holder was killed', async () => {
    using directory = temporaryDirectory();
    await using holder = otherProcess('hold', directory.path);
    expect(await holder.line()).toBe('held');
    expect(() => lockDataDirectory(directory.path)).toThrow(DataDirectoryInUse);
    await holder.kill();
    lockDataDirectory(directory.path)();
  });
});

describe('an answered append', () => {
  test('survives a kill of the process right after the answer', async () => {
    using directory = temporaryDirectory();
    await using writer = otherProcess('append', directory.path);
    expect(await writer.line()).toBe('held');
    let answered = -1;
    while (answered < 20) answered = Number(await writer.line());
    await writer.kill();
    for (let line = await writer.line(); line !== null; line = await writer.line()) answered = Number(line);
    const store = openEventStore(directory.file('events.db'));
    const events = await eventsOf(store, 'booking-1');
    await store.close();
    expect(events.length).toBeGreaterThan(answered);
    expect(events.map(({ data }) => data)).toStrictEqual(events.map((_, n) => ({ n })));
  });

  test('includes every append that was pending when the store was closed', async () => {
    using directory = temporaryDirectory();
    const { store, reopen } = opened(directory);
    const streams = Array.from({ length: 9 }, (_, n) => `booking-${n}`);
    const appends = streams.map((stream) => store.append(stream, NO_STREAM, newEvents(MAX_APPEND_EVENTS)));
    const reopened = await reopen();
    const kept = await Promise.all(streams.map((stream) => reopened.read(stream)));
    expect(kept.map(({ kind }) => kind)).toEqual(streams.map(() => 'events'));
    expect((await Promise.all(appends)).map(({ kind }) => kind)).toEqual(streams.map(() => 'appended'));
    await reopened.close();
  });
});

describe('a closed store', () => {
  test('rejects every call; close may be repeated', async () => {
    using directory = temporaryDirectory();
    const { store } = opened(directory);
    await store.close();
    await store.close();
    const refusals = await Promise.allSettled([
      store.append('booking-1', NO_STREAM, newEvents(1)),
      store.read('booking-1'),
      store.last('booking-1'),
      store.head(),
      store.erase('guest-1'),
    ]);
    const messages = refusals.map((refusal) => (refusal.status === 'rejected' ? String(refusal.reason) : 'answered'));
    expect(messages).toEqual(refusals.map(() => 'Error: the event store is closed'));
  });

  test('ends its subscriptions without an error', async () => {
    using directory = temporaryDirectory();
    const { store } = opened(directory);
    await appended(store, 'booking-1', NO_STREAM, newEvents(2));
    const seen = follow(store, {}, () => false);
    await store.close();
    expect(eventsIn(await seen).length).toBeLessThanOrEqual(2);
  });
});

describe('the embedded log', () => {
  test('has its head at the last event, or at the start if it is empty', async () => {
    using directory = temporaryDirectory();
    const { store, reopen } = opened(directory);
    expect(await store.head()).toBe(START);
    const { position } = await appended(store, 'booking-1', NO_STREAM, newEvents(3));
    expect(await store.head()).toBe(position);
    const reopened = await reopen();
    expect(await reopened.head()).toBe(position);
    await reopened.close();
  });

  test('brings a subscriber to its head, over events of other categories', async () => {
    using directory = temporaryDirectory();
    const { store, reopen } = opened(directory);
    await appended(store, 'booking-1', NO_STREAM, newEvents(1));
    for (let n = 0; n < 30; n++) await appended(store, `allotment-${n}`, NO_STREAM, newEvents(3));
    await store.erase('guest-1');
    const head = await store.head();
    const toHead = { categories: ['booking'], maxBatch: 4 };
    const live = await follow(store, toHead, (_, { caughtUp }) => caughtUp);
    const reopened = await reopen();
    const stored = await follow(reopened, toHead, (_, { caughtUp }) => caughtUp);
    for (const batches of [live, stored]) {
      expect(eventsIn(batches).map(({ stream }) => stream)).toEqual(['booking-1']);
      expect(batches.at(-1)?.upTo).toBe(head);
    }
    await reopened.close();
  });

  test('reaches a subscriber without a gap when it falls behind the events in memory', async () => {
    using directory = temporaryDirectory();
    const { store } = opened(directory);
    const seen: string[] = [];
    const letGo = new AbortController();
    let streams = 0;
    const appendThousand = (): Promise<unknown> =>
      appended(store, `booking-${++streams}`, NO_STREAM, newEvents(MAX_APPEND_EVENTS));
    await appendThousand();
    for await (const { events } of store.subscribe({ after: START, maxBatch: 300, signal: letGo.signal })) {
      seen.push(...events.map(({ stream, revision }) => `${stream}@${revision}`));
      // 5,000 more for each 300 read, up to 50,000.
      for (let n = 0; n < 5 && streams < 50; n++) await appendThousand();
      if (seen.length >= 50_000) letGo.abort();
    }
    const all = Array.from({ length: 50_000 }, (_, n) => `booking-${Math.floor(n / 1_000) + 1}@${n % 1_000}`);
    expect(seen).toStrictEqual(all);
    await store.close();
  });
});

describe('an erasure', () => {
  test('removes the events from the log', async () => {
    using directory = temporaryDirectory();
    const { store, reopen } = opened(directory);
    await appended(store, 'booking-1', NO_STREAM, newEvents(1));
    await appended(store, 'guest-1', NO_STREAM, newEvents(3));
    await appended(store, 'booking-1', 0, newEvents(1));
    await store.erase('guest-1');
    const batches = await follow(store, {}, (_, { caughtUp }) => caughtUp);
    const reopened = await reopen();
    const again = await follow(reopened, {}, (_, { caughtUp }) => caughtUp);
    for (const found of [batches, again]) {
      expect(eventsIn(found).map(({ stream }) => stream)).toEqual(['booking-1', 'booking-1']);
    }
    await reopened.close();
  });

  test('leaves no byte of them in the files', async () => {
    using directory = temporaryDirectory();
    const { store } = opened(directory);
    const traces = (): number => filesHolding(directory, SECRET);
    await fill(store, 1);
    expect(traces()).toBeGreaterThan(0);
    await store.erase('guest-1');
    expect(traces()).toBe(0);
    await store.close();
    expect(traces()).toBe(0);
  });

  test('of many streams at once leaves no byte, also of events appended just before', async () => {
    using directory = temporaryDirectory();
    const { store } = opened(directory);
    const guests = Array.from({ length: 64 }, (_, n) => `guest-${n}`);
    const outcomes = await Promise.all(
      guests.flatMap((guest) => [
        store.append(guest, NO_STREAM, [newEvent({ email: SECRET })]),
        store.erase(guest),
        store.append(guest, 0, [newEvent({ email: SECRET })]),
      ]),
    );
    expect(outcomes.filter((outcome) => outcome?.kind === 'erased')).toHaveLength(64);
    expect(filesHolding(directory, SECRET)).toBe(0);
    const batches = await follow(store, {}, (_, { caughtUp }) => caughtUp);
    expect(eventsIn(batches)).toEqual([]);
    await store.close();
  });

  test('leaves no byte while another thread checkpoints the write-ahead log', async () => {
    using directory = temporaryDirectory();
    const { store } = opened(directory);
    const checkpointer = new Worker(new URL('./event-store/restless-checkpointer.ts', import.meta.url));
    checkpointer.postMessage(directory.file('events.db'));
    const left: number[] = [];
    for (let guest = 1; guest <= 10; guest++) {
      await fill(store, guest);
      await store.erase(`guest-${guest}`);
      left.push(filesHolding(directory, SECRET));
    }
    expect(left).toEqual(left.map(() => 0));
    const stopped = new Promise((resolve) => checkpointer.addEventListener('message', resolve));
    checkpointer.postMessage('stop');
    await stopped;
    checkpointer.terminate();
    await store.close();
  });
});

describe('an erasure while another program reads the file, such as a backup,', () => {
  test('waits for it without delaying other calls', async () => {
    using directory = temporaryDirectory();
    const { store } = opened(directory);
    await fill(store, 1);
    const reading = otherReader(directory);
    const outcomes: string[] = [];
    const erasing = store.erase('guest-1').then(() => outcomes.push('erased'));
    await appended(store, 'booking-2', NO_STREAM, newEvents(1));
    expect(await store.read('guest-1')).toEqual({ kind: 'erased' });
    expect([outcomes, filesHolding(directory, SECRET) > 0]).toEqual([[], true]);
    reading.end();
    await erasing;
    expect(filesHolding(directory, SECRET)).toBe(0);
    await store.close();
  });

  test('rejects after a while, and succeeds when it is repeated', async () => {
    using directory = temporaryDirectory();
    const { store } = opened(directory);
    await fill(store, 1);
    const reading = otherReader(directory);
    expect(await faultOf(() => store.erase('guest-1'))).toEqual(
      new StoreUnavailable('event store', 'SQLite: another connection keeps the file in use'),
    );
    expect(await store.read('guest-1')).toEqual({ kind: 'erased' });
    reading.end();
    await store.erase('guest-1');
    expect(filesHolding(directory, SECRET)).toBe(0);
    await store.close();
  });

  test('rejects when the store is closed, which does not wait', async () => {
    using directory = temporaryDirectory();
    const { store } = opened(directory);
    await fill(store, 1);
    const reading = otherReader(directory);
    const erasing = faultOf(() => store.erase('guest-1'));
    await store.close();
    expect(await erasing).toBeInstanceOf(StoreUnavailable);
    reading.end();
  });
});

/** A read transaction of another connection, open until `end`. */
function otherReader(directory: TemporaryDirectory): { end(): void } {
  const db = new Database(directory.file('events.db'), { readonly: true });
  db.run('BEGIN');
  db.query('SELECT count(*) FROM appends').get();
  return {
    end() {
      db.run('COMMIT');
      db.close();
    },
  };
}

const SECRET = 'erase-me@example.com';

/** Enough data of a guest for several kinds of SQLite pages, in the file and in its write-ahead log. */
async function fill(store: EventStore, guest: number): Promise<void> {
  for (let n = 0; n < 50; n++) {
    const data = { email: SECRET, requests: SECRET.repeat(n * 20) };
    await appended(store, `guest-${guest}`, n - 1, [newEvent(data)]);
    await appended(store, `booking-${guest}-${n}`, NO_STREAM, newEvents(5));
  }
}

/** The number of files in a directory that contain a text. */
function filesHolding(directory: TemporaryDirectory, text: string): number {
  return readdirSync(directory.path).filter((name) => readFileSync(directory.file(name)).includes(text)).length;
}
