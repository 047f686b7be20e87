import { assertMigrated } from '../../migrations/run.ts';
import { EVENTSTOREDB_POSITIONS } from '../adapters/eventstoredb/positions.ts';
import type { MongoAddress } from '../adapters/mongodb/address.ts';
import { openDatabase, serverTime } from '../adapters/mongodb/database.ts';
import { openErasureLedger } from '../adapters/mongodb/erasure-ledger.ts';
import { openExposureStore } from '../adapters/mongodb/exposure-store.ts';
import {
  erasureLedgerOf,
  exposureStoreOf,
  leasesOf,
  mailLimiterOf,
  rateLimiterOf,
  readModelsOf,
  requestStatisticsOf,
  snapshotsOf,
  translateFaults,
} from '../adapters/mongodb/fault-translation.ts';
import { openLeases } from '../adapters/mongodb/leases.ts';
import { openMailLimiter } from '../adapters/mongodb/mail-limiter.ts';
import { openRateLimiter } from '../adapters/mongodb/rate-limiter.ts';
import { openReadModelStore } from '../adapters/mongodb/read-model-store.ts';
import { openRequestStatisticsStore } from '../adapters/mongodb/request-statistics.ts';
import { openSnapshotStore } from '../adapters/mongodb/snapshot-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { ErasureLedger } from '../ports/erasure-ledger.ts';
import type { ExposureStore } from '../ports/exposure-store.ts';
import type { Leases } from '../ports/leases.ts';
import type { MailLimiter } from '../ports/mail-limiter.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import type { ReadModelStore } from '../ports/read-model-store.ts';
import type { RequestStatisticsStore } from '../ports/request-statistics.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';

/** The stores that nodes share in one MongoDB database. */
export type MongoStores = {
  readonly readModels: ReadModelStore;
  readonly rateLimiter: RateLimiter;
  readonly mailLimiter: MailLimiter;
  readonly exposure: ExposureStore;
  readonly statistics: RequestStatisticsStore;
  readonly snapshots: SnapshotStore;
  readonly erasures: ErasureLedger;
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
  const readModels = readModelsOf(openReadModelStore(database, EVENTSTOREDB_POSITIONS));
  const rateLimiter = rateLimiterOf(openRateLimiter(database));
  const mailLimiter = mailLimiterOf(openMailLimiter(database));
  const exposure = exposureStoreOf(openExposureStore(database));
  const statistics = requestStatisticsOf(openRequestStatisticsStore(database));
  const snapshots = snapshotsOf(openSnapshotStore(database));
  const erasures = erasureLedgerOf(openErasureLedger(database, EVENTSTOREDB_POSITIONS));
  const leases = leasesOf(openLeases(database, clock));
  return {
    readModels,
    rateLimiter,
    mailLimiter,
    exposure,
    statistics,
    snapshots,
    erasures,
    leases,
    serverMs: () => translateFaults('leases')('time of the server', serverTime(database)),
    async close() {
      await rateLimiter.close();
      await mailLimiter.close();
      await exposure.close();
      await statistics.close();
      await snapshots.close();
      await erasures.close();
      await leases.close();
      await readModels.close();
      await database.close();
    },
  };
}
