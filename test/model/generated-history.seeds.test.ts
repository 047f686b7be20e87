import { describe, expect, test } from 'bun:test';
import { openStores } from '../../src/app/embedded-stores.ts';
import { fillEventStore } from '../../src/cli/generate/fill-event-store.ts';
import type { Progress } from '../../src/cli/generate/generate-history.ts';
import { readConfig } from '../../src/config.ts';
import { START } from '../../src/eventsourcing/message.ts';
import type { EventStore, StoredEvent } from '../../src/ports/event-store.ts';
import { auditLeaks, auditLog } from '../chaos/kill/audit.ts';
import { readHistory } from '../chaos/kill/history.ts';
import { connected } from '../contract/event-store/remote.ts';
import { EventStoreDbPeer } from '../support/eventstoredb-peer.ts';
import { NOW } from '../support/service.ts';
import { writeServiceCatalogue } from '../support/service-catalogue.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const STOPPED_AT = 40;
/** A guest of it is erased. */
const ERASING = { bookings: 600, days: 200, seed: 'erasing 20' };
const PLAN = { bookings: 120, seed: 'seven', days: 30, untilMs: NOW };

/** Settings of a new installation in a directory of its own. @param more settings */
function newInstallation(more: Readonly<Record<string, string>> = {}) {
  const directory = temporaryDirectory();
  const settings = {
    CATALOGUE_DIR: directory.file('catalogue'),
    DATA_DIR: directory.file('data'),
    WAYMARK_SECRET_KEY: '5a'.repeat(32),
    ...more,
  };
  writeServiceCatalogue(settings.CATALOGUE_DIR);
  return { config: readConfig(settings, 'command'), [Symbol.dispose]: () => directory.remove() };
}

type Installation = ReturnType<typeof newInstallation>;

/** @param stopAt interrupts the generation at so many bookings */
function generate({ config }: Installation, change: Partial<typeof PLAN> = {}, stopAt = Number.POSITIVE_INFINITY) {
  const stopping = new AbortController();
  const report = (progress: Progress): void => {
    if (progress.kind === 'made' && progress.booked >= stopAt) stopping.abort();
  };
  return fillEventStore(config, { ...PLAN, ...change }, { signal: stopping.signal, report });
}

async function eventsOf({ config }: Installation): Promise<readonly StoredEvent[]> {
  const stores = openStores(config, { note: () => {} });
  const events = await eventsIn(stores.store);
  await stores.close();
  return events;
}

async function eventsIn(store: Pick<EventStore, 'subscribe'>): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  const { signal } = new AbortController();
  for await (const batch of store.subscribe({ after: START, signal })) {
    events.push(...batch.events);
    if (batch.caughtUp) break;
  }
  return events;
}

/** Without what is sealed with fresh random bytes. */
function repeatable(events: readonly StoredEvent[]): readonly StoredEvent[] {
  return events.map((event) => ({ ...event, data: { ...event.data, webhookSecret: 'sealed' } }));
}

describe('a seed', () => {
  test('gives the same history again, and another seed another one', async () => {
    using first = newInstallation();
    using second = newInstallation();
    using third = newInstallation();
    const one = await generate(first);
    expect(await generate(second)).toEqual(one);
    const events = repeatable(await eventsOf(first));
    expect(repeatable(await eventsOf(second))).toEqual([...events]);
    expect(await generate(third, { seed: 'eight' })).not.toEqual(one);
    expect(one).toMatchObject({ kind: 'generated', booked: PLAN.bookings });
  });
});

test('an interrupted generation completes the bookings that were made', async () => {
  using installation = newInstallation();
  const generated = await generate(installation, {}, STOPPED_AT);
  const history = readHistory(await eventsOf(installation));
  const erased = erasedRecords(history);
  expect(generated).toMatchObject({ kind: 'generated', booked: history.bookings.size });
  expect(history.bookings.size).toBeWithin(STOPPED_AT, PLAN.bookings);
  expect([...auditLog(history), ...auditLeaks(history, erased)]).toEqual([]);
});

test('an event store that holds events is refused, and stays as it is', async () => {
  using installation = newInstallation();
  await generate(installation, { bookings: 5 });
  const before = await eventsOf(installation);
  expect(await generate(installation)).toEqual({ kind: 'not-empty', name: installation.config.dataDirectory });
  expect(await eventsOf(installation)).toEqual([...before]);
});

test('a history for EventStoreDB has the events and the order of an embedded one, and positions of its own', async () => {
  using embedded = newInstallation();
  using directory = temporaryDirectory();
  await using peer = await EventStoreDbPeer.start({ data: directory.file('events.log') });
  using shared = newInstallation({ EVENTSTORE_URL: peer.url, MONGODB_URL: 'mongodb://127.0.0.1:1/waymark' });
  const generated = await generate(embedded, ERASING);
  expect(await generate(shared, ERASING)).toEqual(generated);
  const store = connected(peer.url);
  const [expected, found] = [parted(await eventsOf(embedded)), parted(await eventsIn(store))];
  expect(found.events).toEqual([...expected.events]);
  expect(found.checkpoints).toHaveLength(expected.checkpoints.length);
  for (const { data } of found.checkpoints) expect(JSON.stringify(data)).toMatch(/\d{20}\/\d{20}/);
  const records = erasedRecords(readHistory(found.events));
  expect(records.size).toBeGreaterThan(0);
  for (const record of records) expect((await store.read(`guest-${record}`)).kind).toBe('erased');
  await store.close();
});

function erasedRecords({ bookings }: ReturnType<typeof readHistory>): ReadonlySet<string> {
  return new Set([...bookings.values()].flatMap((booking) => (booking.erased ? booking.records : [])));
}

/** Without positions, which only checkpoints hold. */
function parted(events: readonly StoredEvent[]) {
  const isCheckpoint = ({ stream }: StoredEvent): boolean => stream.startsWith('checkpoint-');
  return {
    events: repeatable(events.filter((event) => !isCheckpoint(event))).map((event) => ({ ...event, position: START })),
    checkpoints: events.filter(isCheckpoint),
  };
}
