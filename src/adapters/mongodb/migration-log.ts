import { MIGRATIONS } from './collection-names.ts';
import type { Database } from './database.ts';

/** An applied migration, and its time (ms since the epoch). */
export type AppliedMigration = { readonly id: string; readonly atMs: number };

export type MigrationLog = {
  /** By id. */
  applied(): Promise<readonly AppliedMigration[]>;
  /** Keeps the first time if it is recorded already. */
  record(migration: AppliedMigration): Promise<void>;
};

export function openMigrationLog({ db, reading }: Database): MigrationLog {
  const migrations = db.collection<{ _id: string; atMs: number }>(MIGRATIONS, reading);
  return {
    async applied() {
      const found = await migrations.find({}, { sort: { _id: 1 } }).toArray();
      return found.map(({ _id, atMs }) => ({ id: _id, atMs }));
    },
    async record({ id, atMs }) {
      await migrations.updateOne({ _id: id }, { $setOnInsert: { atMs } }, { upsert: true });
    },
  };
}
