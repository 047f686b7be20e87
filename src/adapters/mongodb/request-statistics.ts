import type { RequestCounts, RequestOutcome, RequestStatisticsStore } from '../../ports/request-statistics.ts';
import { LAST_USE, REQUEST_STATISTICS } from './collection-names.ts';
import type { Database } from './database.ts';

type Kept = {
  readonly _id: string;
  readonly key: string;
  readonly day: number;
  readonly run: string;
  /** The counts. */
  readonly use: readonly ({ readonly endpoint: string } & Readonly<Record<RequestOutcome, number>>)[];
};

/**
 * Request statistics of keys over all nodes: one document per key, day and run of a node, which only that run replaces; and
 * one per key for its last use.
 *
 * @param database stays open when this is closed
 */
export function openRequestStatisticsStore({ db, reading }: Database): RequestStatisticsStore {
  const documents = db.collection<Kept>(REQUEST_STATISTICS, reading);
  const lastUses = db.collection<{ readonly _id: string; readonly atMs: number }>(LAST_USE, reading);
  let open = true;
  const assertOpen = (): void => {
    if (!open) throw new Error('the request statistics are closed');
  };
  return {
    async put(counted) {
      assertOpen();
      if (counted.length === 0) return;
      const writes = counted.map(({ run, key, day, counts }) => ({
        replaceOne: {
          filter: { _id: `${key} ${day} ${run}` },
          replacement: { key, day, run, use: [...counts].map(([endpoint, outcomes]) => ({ endpoint, ...outcomes })) },
          upsert: true,
        },
      }));
      await documents.bulkWrite(writes, { ordered: false });
      const uses = counted.map(({ key, lastAtMs }) => ({
        updateOne: { filter: { _id: key }, update: { $max: { atMs: lastAtMs } }, upsert: true },
      }));
      await lastUses.bulkWrite(uses, { ordered: false });
    },
    async of(keys, day) {
      assertOpen();
      const kept = await documents.find({ key: { $in: [...keys] }, day }).toArray();
      return kept.map(({ key, run, use }) => ({ run, key, day, counts: countsOf(use) }));
    },
    async lastUses(keys) {
      assertOpen();
      const kept = await lastUses.find({ _id: { $in: [...keys] } }).toArray();
      return new Map(kept.map(({ _id, atMs }) => [_id, atMs]));
    },
    async forgetBefore(day) {
      assertOpen();
      await documents.deleteMany({ day: { $lt: day } });
    },
    async close() {
      open = false;
    },
  };
}

function countsOf(kept: Kept['use']): RequestCounts {
  return new Map(kept.map(({ endpoint, ok, refused, failed }) => [endpoint, { ok, refused, failed }]));
}
