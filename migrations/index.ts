import { collectionsBesideTheReadModels } from './0001-collections-beside-the-read-models.ts';
import { usageByLastDay } from './0002-usage-by-last-day.ts';
import { useOfKeys } from './0003-use-of-keys.ts';
import { snapshots } from './0004-snapshots.ts';
import { mailsByAddress } from './0005-mails-by-address.ts';
import { exposureOfKeys } from './0006-exposure-of-keys.ts';
import { erasureLedger } from './0007-erasure-ledger.ts';
import { lastUseOfKeys } from './0008-last-use-of-keys.ts';
import type { Migration } from './migration.ts';

/** In the order in which they run. */
export const MIGRATIONS: readonly Migration[] = [
  collectionsBesideTheReadModels,
  usageByLastDay,
  useOfKeys,
  snapshots,
  mailsByAddress,
  exposureOfKeys,
  erasureLedger,
  lastUseOfKeys,
];
