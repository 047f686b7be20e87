import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { openEventReader } from '../../src/adapters/sqlite/event-reader.ts';
import { openEventStore } from '../../src/adapters/sqlite/event-store.ts';
import { START } from '../../src/eventsourcing/message.ts';
import type { EventFeed, StoredEvent } from '../../src/ports/event-store.ts';
import { faultOf } from '../support/fault.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { appended, newEvents } from './event-store/scene.ts';

/** More rows than a reader caches, so that some are read again. */
const APPENDS = 2_500;

test('subscribers of one reader receive the same events, whether a row is cached or not', async () => {
  const directory = temporaryDirectory();
  const path = directory.file('events.db');
  const store = openEventStore(path);
  await Promise.all(
    Array.from({ length: APPENDS }, (_, n) => appended(store, `${n % 3 === 0 ? 'a' : 'b'}-${n}`, -1, newEvents(2))),
  );
  const expected = await followed(store, ['a', 'b']);
  const reader = openEventReader(path);
  const [together, alone] = await Promise.all([followed(reader, ['a', 'b']), followed(reader, ['a'])]);
  expect(expected).toHaveLength(APPENDS * 2);
  expect(together).toStrictEqual(expected);
  expect(alone).toStrictEqual(expected.filter(({ stream }) => stream.startsWith('a-')));
  expect(await followed(reader, ['b'])).toStrictEqual(expected.filter(({ stream }) => stream.startsWith('b-')));
  reader.close();
  await store.close();
  directory.remove();
});

test('a fault of the file rejects the subscription, not the polling timer', async () => {
  using directory = temporaryDirectory();
  const path = directory.file('events.db');
  const store = openEventStore(path);
  await appended(store, 'a-1', -1, newEvents(1));
  await store.close();
  const reader = openEventReader(path);
  const follower = reader.subscribe({ after: START, signal: new AbortController().signal })[Symbol.asyncIterator]();
  expect((await follower.next()).value?.events).toHaveLength(1);
  const waiting = follower.next();
  using other = new Database(path);
  other.run('ALTER TABLE appends RENAME TO elsewhere');
  expect(String(await faultOf(() => waiting))).toContain('no such table');
  other.run('ALTER TABLE elsewhere RENAME TO appends');
  expect(await followed(reader, ['a'])).toHaveLength(1);
  reader.close();
});

/** All events of these categories. */
async function followed(feed: EventFeed, categories: readonly string[]): Promise<StoredEvent[]> {
  const letGo = new AbortController();
  const events: StoredEvent[] = [];
  for await (const batch of feed.subscribe({ after: START, categories, maxBatch: 400, signal: letGo.signal })) {
    events.push(...batch.events);
    if (batch.caughtUp) letGo.abort();
  }
  return events;
}
