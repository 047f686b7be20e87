import type { Database } from '../src/adapters/mongodb/database.ts';
import { openMigrationLog } from '../src/adapters/mongodb/migration-log.ts';
import { openSchema } from '../src/adapters/mongodb/schema.ts';
import type { Clock } from '../src/ports/clock.ts';
import { MIGRATIONS } from './index.ts';
import type { Migration } from './migration.ts';

/** `atMs` is null for one that was not applied; one that this version does not know was applied by a newer one. */
export type MigrationStatus = { readonly id: string; readonly atMs: number | null; readonly known: boolean };

/** A database that lacks migrations of this version. The message names the command that applies them. */
export class DatabaseNotMigrated extends Error {
  constructor(pending: readonly string[]) {
    super(`the MongoDB database lacks ${pending.join(', ')}; run: waymark migrate up`);
    this.name = 'DatabaseNotMigrated';
  }
}

/** Another process took over while migrations ran. What was begun may be begun again. */
export class MigrationBrokenOff extends Error {
  constructor(id: string) {
    super(`the right to migrate was lost before ${id}; see what is missing with: waymark migrate status`);
    this.name = 'MigrationBrokenOff';
  }
}

/** By id: those of this version, and those that the database has beside them. */
export async function migrationStatus(
  database: Database,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<readonly MigrationStatus[]> {
  const applied = new Map((await openMigrationLog(database).applied()).map(({ id, atMs }) => [id, atMs]));
  const known = new Set(migrations.map(({ id }) => id));
  const ids = [...new Set([...known, ...applied.keys()])].sort();
  return ids.map((id) => ({ id, atMs: applied.get(id) ?? null, known: known.has(id) }));
}

/**
 * Nothing where every migration of this version was applied. Those of a newer version do no harm.
 * @throws DatabaseNotMigrated
 */
export async function assertMigrated(database: Database): Promise<void> {
  const pending = (await migrationStatus(database)).filter(({ atMs }) => atMs === null);
  if (pending.length > 0) throw new DatabaseNotMigrated(pending.map(({ id }) => id));
}

type Run = {
  readonly clock: Clock;
  /** Aborted when the lease under which this runs was lost. */
  readonly signal: AbortSignal;
  readonly applied: (id: string) => void;
  readonly migrations?: readonly Migration[];
};

/**
 * Applies what is pending, one after the other, each recorded once it is done. To be run under a lease; two that run it
 * at once all the same do no harm, since each migration may be repeated.
 *
 * @throws MigrationBrokenOff
 */
export async function migrate(
  database: Database,
  { clock, signal, applied, migrations = MIGRATIONS }: Run,
): Promise<void> {
  const schema = openSchema(database);
  const log = openMigrationLog(database);
  const done = new Set((await log.applied()).map(({ id }) => id));
  for (const migration of migrations) {
    const { id } = migration;
    if (done.has(id)) continue;
    if (signal.aborted) throw new MigrationBrokenOff(id);
    await migration.up(schema);
    await log.record({ id, atMs: clock.nowMs() });
    applied(id);
  }
}
