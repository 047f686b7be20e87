import { type Collection, ObjectId } from 'mongodb';
import { dayOf, unused } from '../../ports/key-usage.ts';
import { USAGE } from './collection-names.ts';
import type { Database } from './database.ts';
import { isRefusal } from './server-faults.ts';
import type { Share, SharedUsage } from './usage-shares.ts';

/** What is stored of a key. `version` is null where there is no document. */
export type Known = { readonly usage: SharedUsage; readonly version: string | null };

/** One document per key, replaced where its version still stands. */
export type UsageDocuments = {
  read(key: string): Promise<Known>;
  /** The version written; null where another was there first. */
  replace(key: string, before: string | null, usage: SharedUsage): Promise<string | null>;
  /** Forgets the keys that were not used on this day (days since the epoch, UTC) or later. */
  forgetBefore(day: number): Promise<void>;
};

type Kept = {
  readonly _id: string;
  /** Drawn anew for each write: a number would come again where a document was deleted and made anew. */
  readonly version: ObjectId;
  readonly lastDay: number;
  readonly recent: readonly number[];
  readonly days: readonly { readonly day: number; readonly used: number }[];
  /** Not there in what older releases wrote. */
  readonly shares?: readonly Share[];
};

export function usageDocuments({ db, reading }: Database): UsageDocuments {
  const documents = db.collection<Kept>(USAGE, reading);
  return {
    async read(key) {
      const kept = await documents.findOne({ _id: key });
      if (kept === null) return { usage: { used: unused(), shares: [] }, version: null };
      const days = new Map(kept.days.map(({ day, used }) => [day, used]));
      return {
        usage: { used: { recent: [...kept.recent], days }, shares: kept.shares ?? [] },
        version: kept.version.toHexString(),
      };
    },
    replace: (key, before, usage) => replace(documents, key, before, usage),
    async forgetBefore(day) {
      await documents.deleteMany({ lastDay: { $lt: day } });
    },
  };
}

async function replace(
  documents: Collection<Kept>,
  key: string,
  before: string | null,
  { used: { recent, days }, shares }: SharedUsage,
): Promise<string | null> {
  const version = new ObjectId();
  const kept = {
    version,
    lastDay: Math.max(dayOf(recent.at(-1) ?? 0), ...days.keys(), ...shares.map(({ day }) => day)),
    recent: [...recent],
    days: [...days].map(([day, used]) => ({ day, used })),
    shares: [...shares],
  };
  try {
    if (before === null) {
      await documents.insertOne({ _id: key, ...kept });
      return version.toHexString();
    }
    const known = { _id: key, version: ObjectId.createFromHexString(before) };
    const { matchedCount } = await documents.updateOne(known, { $set: kept });
    return matchedCount === 1 ? version.toHexString() : null;
  } catch (fault) {
    if (isRefusal(fault, 'DuplicateKey')) return null;
    // The connection may have broken behind the write: what it wrote was taken.
    if ((await documents.findOne({ _id: key, version })) !== null) return version.toHexString();
    throw fault;
  }
}
