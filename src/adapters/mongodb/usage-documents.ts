import { type AnyBulkWriteOperation, type Collection, ObjectId } from 'mongodb';
import { emptyWindow, utcDayNumber } from '../../ports/sliding-window.ts';
import { USAGE } from './collection-names.ts';
import type { Database } from './database.ts';
import { gathered } from './gathered.ts';
import type { QuotaLease, SharedUsage } from './quota-leases.ts';
import { onlyDuplicates } from './server-faults.ts';

/** Shortest time between two commands that read usage, and two that write it, for all keys of this process. */
const COMMAND_EVERY_MS = 5;

/** The stored usage of a key. `version` is null if there is no document. */
export type VersionedUsage = { readonly usage: SharedUsage; readonly version: string | null };

/** One document per key, replaced by compare-and-set on its version. */
export type UsageDocuments = {
  read(key: string): Promise<VersionedUsage>;
  /** Returns the new version; null if another node wrote first. */
  replace(key: string, before: string | null, usage: SharedUsage): Promise<string | null>;
  /** Deletes the usage of keys last used before this day (days since the epoch, UTC). */
  forgetBefore(day: number): Promise<void>;
};

type UsageDocument = {
  readonly _id: string;
  /** Unique per write: a counter would repeat after a document was deleted and inserted again. */
  readonly version: ObjectId;
  readonly lastDay: number;
  readonly recent: readonly number[];
  readonly days: readonly { readonly day: number; readonly used: number }[];
  /** The open quota leases; absent in documents of older releases. */
  readonly shares?: readonly QuotaLease[];
};

export function usageDocuments({ db, reading }: Database): UsageDocuments {
  const documents = db.collection<UsageDocument>(USAGE, reading);
  const read = gathered((keys: readonly string[]) => readAll(documents, keys), COMMAND_EVERY_MS);
  const replace = gathered((all: readonly Replacement[]) => replaceAll(documents, all), COMMAND_EVERY_MS);
  return {
    read,
    async replace(key, before, usage) {
      const version = new ObjectId();
      const { written, fault } = await replace({ key, before, document: documentOf(usage, version) });
      if (written) return version.toHexString();
      if (fault !== null) throw fault;
      return null;
    },
    async forgetBefore(day) {
      await documents.deleteMany({ lastDay: { $lt: day } });
    },
  };
}

type Replacement = {
  readonly key: string;
  readonly before: string | null;
  readonly document: Omit<UsageDocument, '_id'>;
};

/** With a fault, the document was not written, perhaps because of it. */
type Replaced = { readonly written: boolean; readonly fault: Error | null };

async function readAll(
  documents: Collection<UsageDocument>,
  keys: readonly string[],
): Promise<readonly VersionedUsage[]> {
  const found = await documents.find({ _id: { $in: [...keys] } }).toArray();
  const byKey = new Map(found.map(({ _id, ...usage }) => [_id, usage]));
  return keys.map((key) => {
    const stored = byKey.get(key);
    if (stored === undefined) return { usage: { used: emptyWindow(), leases: [] }, version: null };
    const days = new Map(stored.days.map(({ day, used }) => [day, used]));
    return {
      usage: { used: { recent: [...stored.recent], days }, leases: stored.shares ?? [] },
      version: stored.version.toHexString(),
    };
  });
}

function documentOf({ used: { recent, days }, leases }: SharedUsage, version: ObjectId): Omit<UsageDocument, '_id'> {
  return {
    version,
    lastDay: Math.max(utcDayNumber(recent.at(-1) ?? 0), ...days.keys(), ...leases.map(({ day }) => day)),
    recent: [...recent],
    days: [...days].map(([day, used]) => ({ day, used })),
    shares: [...leases],
  };
}

async function replaceAll(
  documents: Collection<UsageDocument>,
  all: readonly Replacement[],
): Promise<readonly Replaced[]> {
  let count = 0;
  let fault: Error | null = null;
  try {
    const { insertedCount, matchedCount } = await documents.bulkWrite(all.map(writeOf), { ordered: false });
    count = insertedCount + matchedCount;
  } catch (failed) {
    if (onlyDuplicates(failed)) count = failed.insertedCount + failed.matchedCount;
    else fault = failed instanceof Error ? failed : new Error(String(failed));
  }
  if (fault === null && (count === 0 || count === all.length))
    return all.map(() => ({ written: count > 0, fault: null }));
  // The server reports only how many were written. The connection may have broken after the writes.
  const keys = all.map(({ key }) => key);
  const found = await documents.find({ _id: { $in: keys } }, { projection: { version: 1 } }).toArray();
  const versions = new Set(found.map(({ version }) => version.toHexString()));
  return all.map(({ document }) => ({ written: versions.has(document.version.toHexString()), fault }));
}

function writeOf({ key, before, document }: Replacement): AnyBulkWriteOperation<UsageDocument> {
  if (before === null) return { insertOne: { document: { _id: key, ...document } } };
  const filter = { _id: key, version: ObjectId.createFromHexString(before) };
  return { updateOne: { filter, update: { $set: document } } };
}
