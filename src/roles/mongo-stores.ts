import { assertMigrated } from '../../migrations/run.ts';
import type { MongoAddress } from '../adapters/mongodb/address.ts';
import { keyUseOf, leasesOf, readModelsOf, telling, usageCountersOf } from '../adapters/mongodb/away.ts';
import { openDatabase } from '../adapters/mongodb/database.ts';
import { openKeyUse } from '../adapters/mongodb/key-use.ts';
import { openLeases } from '../adapters/mongodb/leases.ts';
import { openReadModelStore } from '../adapters/mongodb/read-model-store.ts';
import { openUsageCounters } from '../adapters/mongodb/usage-counters.ts';
import type { Clock } from '../ports/clock.ts';
import type { KeyUse } from '../ports/key-use.ts';
import type { Leases } from '../ports/leases.ts';
import type { ReadModelStore } from '../ports/read-model-store.ts';
import type { UsageCounters } from '../ports/usage-counters.ts';

/** What any number of nodes share in one MongoDB database. */
export type MongoStores = {
  readonly readModels: ReadModelStore;
  readonly usage: UsageCounters;
  readonly keyUse: KeyUse;
  readonly leases: Leases;
  close(): Promise<void>;
};

/**
 * Opens the stores over one pool of connections.
 * @throws DatabaseUnreachable, StoreRefused, DatabaseNotMigrated
 */
export async function openMongoStores(address: MongoAddress, clock: Clock): Promise<MongoStores> {
  const database = await openDatabase(address);
  try {
    await telling('read models')(assertMigrated(database));
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
    async close() {
      await usage.close();
      await keyUse.close();
      await leases.close();
      await readModels.close();
      await database.close();
    },
  };
}
