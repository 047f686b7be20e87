import { assertMigrated } from '../../migrations/run.ts';
import type { MongoAddress } from '../adapters/mongodb/address.ts';
import { openDatabase, serverTime } from '../adapters/mongodb/database.ts';
import {
  keyUseOf,
  leasesOf,
  readModelsOf,
  translateFaults,
  usageCountersOf,
} from '../adapters/mongodb/fault-translation.ts';
import { openKeyUse } from '../adapters/mongodb/key-use.ts';
import { openLeases } from '../adapters/mongodb/leases.ts';
import { openReadModelStore } from '../adapters/mongodb/read-model-store.ts';
import { openUsageCounters } from '../adapters/mongodb/usage-counters.ts';
import type { Clock } from '../ports/clock.ts';
import type { KeyUse } from '../ports/key-use.ts';
import type { Leases } from '../ports/leases.ts';
import type { ReadModelStore } from '../ports/read-model-store.ts';
import type { UsageCounters } from '../ports/usage-counters.ts';

/** The stores that nodes share in one MongoDB database. */
export type MongoStores = {
  readonly readModels: ReadModelStore;
  readonly usage: UsageCounters;
  readonly keyUse: KeyUse;
  readonly leases: Leases;
  /** The server's clock, ms since the epoch. */
  readonly serverMs: () => Promise<number>;
  close(): Promise<void>;
};

/**
 * Opens the stores on one connection pool.
 * @throws DatabaseUnreachable, StoreRefused, DatabaseNotMigrated
 */
export async function openMongoStores(address: MongoAddress, clock: Clock): Promise<MongoStores> {
  const database = await openDatabase(address);
  try {
    await translateFaults('read models')('check of migrations', assertMigrated(database));
  } catch (fault) {
    await database.close();
    throw fault;
  }
  const readModels = readModelsOf(openReadModelStore(database));
  const usage = usageCountersOf(openUsageCounters(database));
  const keyUse = keyUseOf(openKeyUse(database));
  const leases = leasesOf(openLeases(database, clock));
  return {
    readModels,
    usage,
    keyUse,
    leases,
    serverMs: () => translateFaults('leases')('time of the server', serverTime(database)),
    async close() {
      await usage.close();
      await keyUse.close();
      await leases.close();
      await readModels.close();
      await database.close();
    },
  };
}
