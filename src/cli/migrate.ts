import type { Database } from '../adapters/mongodb/database.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import { systemLog } from '../adapters/system/log.ts';
import { openClockCheck } from '../app/clock-check.ts';
import { readConfig } from '../config.ts';
import type { Log } from '../ports/log.ts';
import { withLease } from '../runtime/lease.ts';
import { NodeLeases } from '../runtime/node-leases.ts';
import { command, refuse } from './command.ts';

/** After a process was killed while it migrated, others wait for this time. */
const LEASE_MS = 15_000;
/** No time-out: building an index over many documents takes long. */
const FOR_EVER = 0;

export const MIGRATE = command({
  name: 'migrate',
  summary: 'Creates the collections and indexes of this version in MongoDB, or lists them.',
  details: ['Run `waymark migrate up` before the first start of each version. Several processes may run it at once.'],
  arguments: [
    {
      name: 'ACTION',
      meaning: '`up` applies pending migrations; `status` lists all migrations.',
      values: ['up', 'status'],
    },
  ],
  options: {},
  settings: ['LOG_LEVEL', 'MONGODB_URL'],
  exitCodes: {
    0: 'Every migration is applied.',
    1: '`status`: a migration is pending; `up`: it failed; or a setting is invalid.',
    2: 'Invalid arguments, or `MONGODB_URL` is not set.',
  },
  run: ({ arguments: [action] }) => runAction(action),
});

async function runAction(action: string | undefined): Promise<number> {
  const { mongodb, logLevel } = readConfig(process.env, 'command');
  if (mongodb === null) return refuse('migrate', 'set MONGODB_URL; without it nothing needs to be migrated');
  const { openDatabase } = await driver();
  const database = await openDatabase(mongodb, FOR_EVER);
  try {
    return action === 'up' ? await up(database, systemLog(logLevel)) : await status(database);
  } finally {
    await database.close();
  }
}

/** Loaded here, so that no other command waits for MongoDB's driver. */
async function driver() {
  const [{ migrate, migrationStatus }, { openDatabase, serverTime }, { openLeases }] = await Promise.all([
    import('../../migrations/run.ts'),
    import('../adapters/mongodb/database.ts'),
    import('../adapters/mongodb/leases.ts'),
  ]);
  return { migrate, migrationStatus, openDatabase, serverTime, openLeases };
}

async function up(database: Database, log: Log): Promise<number> {
  const { migrate, serverTime, openLeases } = await driver();
  const clock = systemClock;
  const ttlMs = LEASE_MS;
  const clockCheck = await openClockCheck({ serverMs: () => serverTime(database), ttlMs, log });
  const leases = openLeases(database, clock);
  const node = new NodeLeases({ leases, holder: systemIds.uuid(), ttlMs, clock, clockCheck, log });
  let count = 0;
  const applied = (id: string): void => {
    count++;
    process.stdout.write(`${id} applied\n`);
  };
  await withLease('migrations', (signal) => migrate(database, { clock, signal, applied }), node);
  process.stdout.write(count === 0 ? 'nothing was pending\n' : `${count} applied\n`);
  return 0;
}

async function status(database: Database): Promise<number> {
  const { migrationStatus } = await driver();
  const all = await migrationStatus(database);
  for (const { id, atMs, known } of all) {
    const state = atMs === null ? 'pending' : `applied ${new Date(atMs).toISOString()}`;
    process.stdout.write(`${id} ${state}${known ? '' : ', by a newer version'}\n`);
  }
  return all.some(({ atMs }) => atMs === null) ? 1 : 0;
}
