import { expect, test } from 'bun:test';
import { EVENTSTOREDB_POSITIONS } from '../../../src/adapters/eventstoredb/positions.ts';
import { openDatabase } from '../../../src/adapters/mongodb/database.ts';
import { leasesOf, rateLimiterOf, readModelsOf } from '../../../src/adapters/mongodb/fault-translation.ts';
import { openLeases } from '../../../src/adapters/mongodb/leases.ts';
import { openRateLimiter } from '../../../src/adapters/mongodb/rate-limiter.ts';
import { openReadModelStore } from '../../../src/adapters/mongodb/read-model-store.ts';
import type { Position } from '../../../src/eventsourcing/message.ts';
import { StoreUnavailable } from '../../../src/ports/store-unavailable.ts';
import { movedClock } from '../../support/clock.ts';
import { faultOf } from '../../support/fault.ts';
import { BUILD_MS, startFerretDb } from '../../support/peers/ferretdb.ts';
import { databaseAt } from './servers.ts';

test(
  'every port reports an unavailable server as StoreUnavailable with the name of the engine',
  async () => {
    await using server = await startFerretDb();
    const database = await databaseAt(server.url).open();
    const readModels = readModelsOf(openReadModelStore(database, EVENTSTOREDB_POSITIONS));
    const limiter = rateLimiterOf(openRateLimiter(database));
    const leases = leasesOf(openLeases(database, movedClock()));
    expect(await faultOf(() => readModels.find('keys.v1.b1', { limit: 0 }))).toBeInstanceOf(RangeError);
    expect(await faultOf(() => leases.take({ name: 'a', holder: 'b', ttlMs: 0 }))).toBeInstanceOf(RangeError);
    await readModels.ensure('keys.v1.b1', []);
    await server.kill();
    const calls = [
      () => readModels.pointer('keys.v1'),
      () => Array.fromAsync(readModels.scan('keys.v1.b1')),
      () => limiter.peek('key_1', { perMinute: 1, perDay: 1 }, 0),
      () => leases.take({ name: 'a', holder: 'b', ttlMs: 1_000 }),
    ];
    const faults = await Promise.all(calls.map((call) => faultOf(call)));
    const engines = faults.map((fault) => (fault instanceof StoreUnavailable ? fault.engine : fault));
    expect(engines).toEqual(['read models', 'read models', 'usage counters', 'leases']);
    const called = faults.map((fault) => (fault instanceof StoreUnavailable ? fault.failed?.call : fault));
    expect(called).toEqual(['pointer keys.v1', 'scan of keys.v1.b1', 'read quota of key_1', 'take lease']);
    await database.close();
  },
  BUILD_MS,
);

test(
  'a server that becomes unavailable during a bulk write is reported as StoreUnavailable',
  async () => {
    await using server = await startFerretDb();
    const database = await openDatabase(databaseAt(server.url).address, 500);
    const readModels = readModelsOf(openReadModelStore(database, EVENTSTOREDB_POSITIONS));
    await readModels.ensure('keys.v1.b1', []);
    const position = 1 as Position;
    server.pause();
    const write = { id: 'a', doc: {}, position, loaded: null };
    expect(await faultOf(() => readModels.commit('keys.v1.b1', [write], position))).toBeInstanceOf(StoreUnavailable);
    server.resume();
    await database.close();
  },
  BUILD_MS,
);
