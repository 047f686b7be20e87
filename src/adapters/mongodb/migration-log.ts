import { MIGRATIONS } from './collection-names.ts';
import type { Database } from './database.ts';

/** An applied migration, and its time (ms since the epoch). */
type AppliedMigration = { readonly id: string; readonly atMs: number };

export function openMigrationLog({ db, reading }: Database) {
  const migrations = db.collection<{ _id: string; atMs: number }>(MIGRATIONS, reading);
  return {
    /** By id. */
    async applied(): Promise<readonly AppliedMigration[]> {
      const found = await migrations.find({}, { sort: { _id: 1 } }).toArray();
      return found.map(({ _id, atMs }) => ({ id: _id, atMs }));
    },
    /** Keeps the first time if it is recorded already. */
    async record({ id, atMs }: AppliedMigration): Promise<void> {
      await migrations.updateOne({ _id: id }, { $setOnInsert: { atMs } }, { upsert: true });
    },
  };
}
