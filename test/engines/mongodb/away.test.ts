import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { applyBatch } from '../../../projections/apply.ts';
import { readModelsOf } from '../../../src/adapters/mongodb/away.ts';
import { DatabaseUnreachable, openDatabase } from '../../../src/adapters/mongodb/database.ts';
import { openLeases } from '../../../src/adapters/mongodb/leases.ts';
import { openReadModelStore } from '../../../src/adapters/mongodb/read-model-store.ts';
import { openUsageCounters } from '../../../src/adapters/mongodb/usage-counters.ts';
import { type Position, START } from '../../../src/eventsourcing/message.ts';
import type { StoredEvent } from '../../../src/ports/event-store.ts';
import type { ReadModelStore } from '../../../src/ports/read-model-store.ts';
import { StoreRefused } from '../../../src/ports/store-refused.ts';
import { BOOKINGS, SEED, scanned } from '../../contract/read-model-store/scene.ts';
import { KEY, LIMITS, NOON } from '../../contract/usage-counters/scene.ts';
import { BUILD_MS, type FerretDb, startFerretDb } from '../../peers/ferretdb.ts';
import { seededRandom } from '../../simulation/kill/random.ts';
import { pause } from '../../simulation/kill/real-time.ts';
import { movedClock } from '../../support/clock.ts';
import { faultOf } from '../../support/fault.ts';
import { until } from '../nodes/client.ts';
import { databaseAt, type TestDatabase } from './servers.ts';
import { counted, givenEvents, TALLY } from './tally.ts';

/** A socket that tells nothing is given up after 6 s, and a call after 16 s. */
const FOUND_MS = 20_000;

describe('where MongoDB is away', () => {
  let server: FerretDb;
  let place: TestDatabase;

  beforeEach(async () => {
    server = await startFerretDb();
    place = databaseAt(server.url);
  }, BUILD_MS);
  afterEach(async () => {
    await place.close();
    await server[Symbol.asyncDispose]();
  });

  test('it cannot be opened, which is told without its password', async () => {
    await server.kill();
    const { database } = place.address;
    const url = `${server.url.replace('//', '//ann:s3cret@')}${database}`;
    const shown = `${new URL(server.url).host}/${database}`;
    const fault = await faultOf(() => openDatabase({ url, database, shown }));
    expect(fault).toBeInstanceOf(DatabaseUnreachable);
    expect(String(fault)).toStartWith(`DatabaseUnreachable: MongoDB at ${shown} cannot be used: `);
    expect(Bun.inspect(fault, { depth: 9 })).not.toContain('s3cret');
  }, 30_000);

  test('options that mean nothing are told like that', async () => {
    const { database, shown } = place.address;
    const url = `${server.url.replace('//', '//ann:s3cret@')}?colour=red`;
    const fault = await faultOf(() => openDatabase({ url, database, shown }));
    expect(String(fault)).toBe(`StoreRefused: MongoDB at ${shown} cannot be used: option colour is not supported`);
  });

  test('a user or password that it does not know is told at once, and is no server that is away', async () => {
    const { database, shown } = place.address;
    const url = `${server.url.replace('//', '//ann:s3cret@')}${database}`;
    const fault = await faultOf(() => openDatabase({ url, database, shown }));
    expect(fault).toBeInstanceOf(StoreRefused);
    expect(String(fault)).toStartWith(`StoreRefused: MongoDB at ${shown} keeps us out: `);
    expect(Bun.inspect(fault, { depth: 9 })).not.toContain('s3cret');
  });

  test('every call is rejected, none is answered wrongly, and all go on when it is back', async () => {
    const database = await place.open();
    const [store, usage, leases] = [
      openReadModelStore(database),
      openUsageCounters(database),
      openLeases(database, movedClock()),
    ];
    await store.ensure(BOOKINGS, []);
    await usage.take(KEY, LIMITS, NOON);
    await server.kill();
    const lease = { name: 'projection bookings', holder: 'a', ttlMs: 1_000 };
    const write = { id: 'a', doc: {}, position: 'p1' as Position, loaded: null };
    const calls: readonly (() => Promise<unknown>)[] = [
      () => store.ensure(BOOKINGS, [['city']]),
      () => store.load(BOOKINGS, ['a']),
      () => store.commit(BOOKINGS, [write], write.position),
      () => store.checkpoint(BOOKINGS),
      () => store.find(BOOKINGS, { limit: 1 }),
      () => scanned(store, BOOKINGS),
      () => store.collections(),
      () => store.drop(BOOKINGS),
      () => store.pointer('bookings.v1'),
      () => store.movePointer('bookings.v1', null, BOOKINGS),
      () => usage.take(KEY, LIMITS, NOON),
      () => usage.peek(KEY, LIMITS, NOON),
      () => leases.take(lease),
      () => leases.release({ ...lease, token: 1 }),
    ];
    const faults = await Promise.all(calls.map(faultOf));
    expect(faults.every((fault) => fault instanceof Error)).toBe(true);
    await server.restart();
    expect((await usage.take(KEY, LIMITS, NOON)).usage.minute.used).toBe(2);
    expect(await store.commit(BOOKINGS, [write], write.position)).toEqual({ missed: [] });
    expect(await store.checkpoint(BOOKINGS)).toBe(write.position);
    expect((await leases.take(lease)).kind).toBe('acquired');
  }, 60_000);

  test('a server that answers nothing is given up, and used again when it goes on', async () => {
    const database = await openDatabase(place.address, 500);
    const store = openReadModelStore(database);
    await store.ensure(BOOKINGS, []);
    server.pause();
    expect(await faultOf(() => store.checkpoint(BOOKINGS))).toBeInstanceOf(Error);
    server.resume();
    expect(await store.checkpoint(BOOKINGS)).toBeNull();
    await database.close();
  }, 60_000);

  test('killed and there again at once, while many clients ask, it is found again by each of them', async () => {
    // Under Bun about every other client had a socket that told nothing any more, and found no server ever again.
    const clients = await Promise.all(
      Array.from({ length: 4 }, async () => readModelsOf(openReadModelStore(await place.open()))),
    );
    let stopped = false;
    const asking = clients.flatMap((store) =>
      Array.from({ length: 16 }, async () => {
        while (!stopped) {
          await store.load(BOOKINGS, ['any']).catch(() => pause(20));
          await pause(5);
        }
      }),
    );
    for (let round = 0; round < 3; round++) {
      await pause(1_500);
      await server.kill();
      await server.restart();
      const answered = async (store: ReadModelStore): Promise<boolean> => (await store.checkpoint(BOOKINGS)) === null;
      await Promise.all(clients.map((store) => until('it answers', FOUND_MS, () => answered(store))));
    }
    stopped = true;
    await Promise.all(asking);
  }, 120_000);

  test(`killed in the middle of commits, it has lost nothing acknowledged, and nothing is counted twice (seed ${SEED})`, async () => {
    const random = seededRandom(SEED);
    const store = openReadModelStore(await place.open());
    await store.ensure(BOOKINGS, TALLY.indexes);
    const events = givenEvents(300);
    let interrupted = 0;
    for (let done = 0; done < events.length; ) {
      const batch = events.slice(done, done + 1 + random.whole(0, 19));
      let applied = false;
      const applying = untilApplied(store, batch).finally(() => {
        applied = true;
      });
      const first = done === 0;
      if (random.percent(40) || first) {
        // Some turns later, so that it is met at different points of the work; the first time at once, so that it is met.
        for (let turns = first ? 0 : random.whole(0, 120); turns > 0; turns--) await new Promise(setImmediate);
        if (!applied) interrupted++;
        const acknowledged = events[done - 1]?.position ?? START;
        await server.kill();
        await server.restart();
        expect(((await store.checkpoint(BOOKINGS)) ?? START) >= acknowledged).toBe(true);
      }
      await applying;
      done += batch.length;
    }
    expect(interrupted).toBeGreaterThan(0);
    expect(await scanned(store, BOOKINGS)).toEqual(counted(events));
    expect(await store.checkpoint(BOOKINGS)).toBe(events.at(-1)?.position ?? null);
  }, 120_000);
});

/** As the runner of projections does it: what failed is loaded and folded again. */
async function untilApplied(store: ReadModelStore, batch: readonly StoredEvent[]): Promise<void> {
  const upTo = batch.at(-1)?.position ?? START;
  for (;;) {
    try {
      await applyBatch(TALLY, BOOKINGS, store, { events: batch, upTo });
      return;
    } catch {
      // Some faults the driver mends by itself, and some come here.
    }
  }
}
