import { type Collection, ObjectId } from 'mongodb';
import { emptyWindow, utcDayNumber } from '../../ports/sliding-window.ts';
import { USAGE } from './collection-names.ts';
import type { Database } from './database.ts';
import type { QuotaLease, SharedUsage } from './quota-leases.ts';
import { isRefusal } from './server-faults.ts';

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
  return {
    async read(key) {
      const stored = await documents.findOne({ _id: key });
      if (stored === null) return { usage: { used: emptyWindow(), leases: [] }, version: null };
      const days = new Map(stored.days.map(({ day, used }) => [day, used]));
      return {
        usage: { used: { recent: [...stored.recent], days }, leases: stored.shares ?? [] },
        version: stored.version.toHexString(),
      };
    },
    replace: (key, before, usage) => replace(documents, key, before, usage),
    async forgetBefore(day) {
      await documents.deleteMany({ lastDay: { $lt: day } });
    },
  };
}

async function replace(
  documents: Collection<UsageDocument>,
  key: string,
  before: string | null,
  { used: { recent, days }, leases }: SharedUsage,
): Promise<string | null> {
  const version = new ObjectId();
  const stored = {
    version,
    lastDay: Math.max(utcDayNumber(recent.at(-1) ?? 0), ...days.keys(), ...leases.map(({ day }) => day)),
    recent: [...recent],
    days: [...days].map(([day, used]) => ({ day, used })),
    shares: [...leases],
  };
  try {
    if (before === null) {
      await documents.insertOne({ _id: key, ...stored });
      return version.toHexString();
    }
    const known = { _id: key, version: ObjectId.createFromHexString(before) };
    const { matchedCount } = await documents.updateOne(known, { $set: stored });
    return matchedCount === 1 ? version.toHexString() : null;
  } catch (fault) {
    if (isRefusal(fault, 'DuplicateKey')) return null;
    // The connection may have broken after the write; then the write took effect.
    if ((await documents.findOne({ _id: key, version })) !== null) return version.toHexString();
    throw fault;
  }
}
