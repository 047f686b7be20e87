import { migrate, migrationStatus } from '../../migrations/run.ts';
import { type Database, openDatabase } from '../adapters/mongodb/database.ts';
import { openLeases } from '../adapters/mongodb/leases.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import { systemLog } from '../adapters/system/log.ts';
import { underLease } from '../application/under-lease.ts';
import type { Config } from '../config.ts';
import type { Log } from '../ports/log.ts';

/** A process that was killed while it migrated keeps others waiting for so long. */
const LEASE_MS = 15_000;
/** An index over many documents takes its time. */
const FOR_EVER = 0;

/** `waymark migrate up|status`. @returns the process's exit code: for `status` 1 where a migration is pending */
export async function migrateCommand(
  args: readonly string[],
  config: Pick<Config, 'mongodb' | 'logLevel'>,
): Promise<number> {
  const { mongodb, logLevel } = config;
  const [command, ...rest] = args;
  if ((command !== 'up' && command !== 'status') || rest.length > 0) {
    process.stderr.write('waymark migrate: say "up" to apply what is pending, or "status" to see it\n');
    return 2;
  }
  if (mongodb === null) {
    process.stderr.write('waymark migrate: set MONGODB_URL; without it nothing needs to be migrated\n');
    return 2;
  }
  const database = await openDatabase(mongodb, FOR_EVER);
  try {
    return command === 'up' ? await up(database, systemLog(logLevel)) : await status(database);
  } finally {
    await database.close();
  }
}

async function up(database: Database, log: Log): Promise<number> {
  const clock = systemClock;
  const context = { leases: openLeases(database, clock), holder: systemIds.uuid(), ttlMs: LEASE_MS, clock, log };
  let count = 0;
  const applied = (id: string): void => {
    count++;
    process.stdout.write(`${id} applied\n`);
  };
  await underLease('migrations', (signal) => migrate(database, { clock, signal, applied }), context);
  process.stdout.write(count === 0 ? 'nothing was pending\n' : `${count} applied\n`);
  return 0;
}

async function status(database: Database): Promise<number> {
  const all = await migrationStatus(database);
  for (const { id, atMs, known } of all) {
    const state = atMs === null ? 'pending' : `applied ${new Date(atMs).toISOString()}`;
    process.stdout.write(`${id} ${state}${known ? '' : ', by a newer version'}\n`);
  }
  return all.some(({ atMs }) => atMs === null) ? 1 : 0;
}
