import type { Database } from '../src/adapters/mongodb/database.ts';
import { openMigrationLog } from '../src/adapters/mongodb/migration-log.ts';
import { openSchema } from '../src/adapters/mongodb/schema.ts';
import type { Clock } from '../src/ports/clock.ts';
import { OperatorError } from '../src/ports/operator-error.ts';
import { MIGRATIONS } from './index.ts';
import type { Migration } from './migration.ts';

/** `atMs` is null for a pending migration. A migration that is not `known` was applied by a newer version. */
type MigrationStatus = { readonly id: string; readonly atMs: number | null; readonly known: boolean };

/** The database lacks migrations of this version. The message names the command that applies them. */
export class DatabaseNotMigrated extends OperatorError {
  constructor(pending: readonly string[]) {
    super(`the MongoDB database lacks ${pending.join(', ')}; run: waymark migrate up`);
    this.name = 'DatabaseNotMigrated';
  }
}

/** This process lost its lease between two migrations. Running `migrate` again is safe. */
export class MigrationInterrupted extends OperatorError {
  constructor(id: string) {
    super(`the migration lease was lost before ${id}; to list the pending migrations, run: waymark migrate status`);
    this.name = 'MigrationInterrupted';
  }
}

/** The migrations of this version and those recorded in the database, sorted by id. */
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
 * Passes if every migration of this version was applied. Migrations of a newer version are compatible.
 * @throws DatabaseNotMigrated
 */
export async function assertMigrated(database: Database): Promise<void> {
  const pending = (await migrationStatus(database)).filter(({ atMs }) => atMs === null);
  if (pending.length > 0) throw new DatabaseNotMigrated(pending.map(({ id }) => id));
}

type Run = {
  readonly clock: Clock;
  /** Aborted when the migration lease is lost. */
  readonly signal: AbortSignal;
  readonly applied: (id: string) => void;
  readonly migrations?: readonly Migration[];
};

/**
 * Applies the pending migrations in order and records each one when it is done. Run it under a lease. Two concurrent runs
 * are still safe, because every migration is repeatable.
 *
 * @throws MigrationInterrupted
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
    if (signal.aborted) throw new MigrationInterrupted(id);
    await migration.up(schema);
    await log.record({ id, atMs: clock.nowMs() });
    applied(id);
  }
}
