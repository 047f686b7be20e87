import { join } from 'node:path';
import { startCheckpointer } from '../adapters/sqlite/checkpointer.ts';
import { lockDataDirectory } from '../adapters/sqlite/data-directory.ts';
import { type DurableAt, type EmbeddedEventStore, openEventStore } from '../adapters/sqlite/event-store.ts';
import { openExposureStore } from '../adapters/sqlite/exposure-store.ts';
import { openMailLimiter } from '../adapters/sqlite/mail-limiter.ts';
import { type EmbeddedRateLimiter, openRateLimiter } from '../adapters/sqlite/rate-limiter.ts';
import { type EmbeddedReadModels, openReadModelStore } from '../adapters/sqlite/read-model-store.ts';
import { openRequestStatisticsStore } from '../adapters/sqlite/request-statistics.ts';
import { openSnapshotStore } from '../adapters/sqlite/snapshot-store.ts';
import type { Config } from '../config.ts';
import { decodeEvent } from '../domain/codecs.ts';
import type { DecodedEventStore } from '../ports/event-store.ts';
import type { ExposureStore } from '../ports/exposure-store.ts';
import type { MailLimiter } from '../ports/mail-limiter.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import type { ReadModelStore } from '../ports/read-model-store.ts';
import type { RequestStatisticsStore } from '../ports/request-statistics.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import { decodedStore } from '../runtime/decoded-store.ts';
import { KEPT_CHECKPOINTS } from '../runtime/low-water-checkpoint.ts';
import type { ReadFaults } from '../runtime/unknown-events.ts';

/** The adapters that store data. */
export type Stores = {
  readonly store: DecodedEventStore;
  readonly readModels: ReadModelStore;
  readonly rateLimiter: RateLimiter;
  readonly mailLimiter: MailLimiter;
  readonly exposure: ExposureStore;
  readonly statistics: RequestStatisticsStore;
  readonly snapshots: SnapshotStore;
  close(): Promise<void>;
};

/** SQLite files in a directory that belongs to this process alone. */
export type EmbeddedStores = Stores & {
  readonly store: DecodedEventStore & Pick<EmbeddedEventStore, 'writable'>;
  readonly readModels: EmbeddedReadModels;
  readonly rateLimiter: EmbeddedRateLimiter;
  /** Paths of the files, for threads that open their own connections. */
  readonly paths: { readonly events: string; readonly readModels: string };
};

/**
 * Opens the embedded stores of a data directory for this process alone.
 * @throws DataDirectoryInUse; StoreUnavailable if the disk is full. Nothing stays open then
 */
export function openStores(
  config: Pick<Config, 'dataDirectory'>,
  unknownEvents: ReadFaults,
  durableAt: DurableAt = 'append',
): EmbeddedStores {
  using opening = new DisposableStack();
  const unlock = lockDataDirectory(config.dataDirectory);
  opening.defer(unlock);
  const paths = {
    events: join(config.dataDirectory, 'events.db'),
    readModels: join(config.dataDirectory, 'read-models.db'),
  };
  const usagePath = join(config.dataDirectory, 'usage.db');
  const options = { durableAt, keptEvents: KEPT_CHECKPOINTS };
  const store = opening.adopt(openEventStore(paths.events, options), (it) => void it.close());
  const readModels = opening.adopt(openReadModelStore(paths.readModels), (it) => void it.close());
  const rateLimiter = opening.adopt(openRateLimiter(usagePath), (it) => void it.close());
  const mailsPath = join(config.dataDirectory, 'mails.db');
  const mailLimiter = opening.adopt(openMailLimiter(mailsPath), (it) => void it.close());
  const exposurePath = join(config.dataDirectory, 'exposure.db');
  const exposure = opening.adopt(openExposureStore(exposurePath), (it) => void it.close());
  const statisticsPath = join(config.dataDirectory, 'key-use.db');
  const statistics = opening.adopt(openRequestStatisticsStore(statisticsPath), (it) => void it.close());
  const snapshotsPath = join(config.dataDirectory, 'snapshots.db');
  const snapshots = openSnapshotStore(snapshotsPath);
  const files = [paths.events, paths.readModels, usagePath, mailsPath, exposurePath, statisticsPath, snapshotsPath];
  const stopCheckpointer = startCheckpointer(files);
  opening.move();
  const decoded = decodedStore(store, { decode: decodeEvent, unknownEvents });
  return {
    store: { ...decoded, writable: () => store.writable() },
    readModels,
    rateLimiter,
    mailLimiter,
    exposure,
    statistics,
    snapshots,
    paths,
    async close() {
      await stopCheckpointer();
      await decoded.close();
      await readModels.close();
      await rateLimiter.close();
      await mailLimiter.close();
      await exposure.close();
      await statistics.close();
      await snapshots.close();
      unlock();
    },
  };
}
