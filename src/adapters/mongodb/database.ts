import { type CollectionOptions, type Db, MongoClient } from 'mongodb';
import { StoreRefused } from '../../ports/store-refused.ts';
import { StoreUnavailable } from '../../ports/store-unavailable.ts';
import type { MongoAddress } from './address.ts';
import { limited, MOST_IN_COMMAND } from './gathered.ts';
import { isAccessDenied } from './server-faults.ts';
import { watchForStuckSockets } from './stuck-sockets.ts';

/** One database of a server, replica set or sharded cluster; the stores of this folder share it. */
export type Database = {
  readonly db: Db;
  /** Read options: only documents that no failover rolls back. */
  readonly reading: Pick<CollectionOptions, 'readConcern' | 'readPreference'>;
  readonly bulks: Bulks;
  close(): Promise<void>;
};

/** How documents are written in bulk: so many in a command, and so many commands of this process at a time. */
export type Bulks = {
  readonly inCommand: number;
  readonly send: ReturnType<typeof limited>;
};

/** A bulk of MongoDB fills a round trip, and several wait for the disk together. */
const IN_COMMAND = 1_000;
const COMMANDS_AT_ONCE = 8;

/** MongoDB could not be reached when the database was opened. The text names hosts but no password. */
export class DatabaseUnreachable extends StoreUnavailable {
  constructor({ shown }: MongoAddress, cause: unknown) {
    super('read models', `MongoDB at ${shown} cannot be used: ${reasonOf(cause)}`, { cause });
    this.name = 'DatabaseUnreachable';
  }
}

/** Server selection timeout: how long a call waits for a writable server. */
export const FIND_SERVER_MS = 5_000;
const CONNECT_MS = 5_000;
/** Connect timeout of a socket. */
const STUCK_MS = CONNECT_MS + 1_000;
/** Socket timeout: without an answer for this long, the connection counts as dead. */
export const ANSWER_MS = 10_000;

/**
 * Opens the database and checks the connection.
 *
 * @param answerMs 0 waits without limit, as index builds need
 * @throws DatabaseUnreachable; StoreRefused if MongoDB denies access, or the URL has an unknown option
 */
export async function openDatabase(address: MongoAddress, answerMs: number = ANSWER_MS): Promise<Database> {
  const client = clientOf(address, answerMs);
  const sockets = watchForStuckSockets(client, STUCK_MS);
  const close = (): Promise<void> => {
    sockets.stop();
    return client.close();
  };
  const db = client.db(address.database);
  try {
    const { setName, msg } = await db.admin().command({ hello: 1 });
    const replicated = typeof setName === 'string' || msg === 'isdbgrid';
    // A standalone server has no majority: its own writes count.
    const readConcern = { level: replicated ? 'majority' : 'local' } as const;
    const bulks = bulksFor(await db.admin().command({ buildInfo: 1 }));
    return { db, reading: { readConcern, readPreference: 'primary' }, bulks, close };
  } catch (fault) {
    await close();
    throw isAccessDenied(fault) ? refused(address, 'denies access', fault) : new DatabaseUnreachable(address, fault);
  }
}

/** FerretDB adds fields with its name to the answer (`ferretdbVersion`, since 2.0 `ferretdb`). */
export function bulksFor(buildInfo: object): Bulks {
  const isFerretDb = Object.keys(buildInfo).some((field) => field.startsWith('ferretdb'));
  return isFerretDb
    ? { inCommand: MOST_IN_COMMAND, send: limited(1) }
    : { inCommand: IN_COMMAND, send: limited(COMMANDS_AT_ONCE) };
}

/** The server's clock, ms since the epoch: of the primary in a replica set, of a router in a sharded cluster. */
export async function serverTime({ db }: Database): Promise<number> {
  const { localTime } = await db.admin().command({ hello: 1 });
  if (!(localTime instanceof Date)) throw new TypeError('MongoDB answered `hello` without its `localTime`');
  return localTime.getTime();
}

/** Does not connect yet. @throws StoreRefused if the driver does not know an option of the URL */
function clientOf(address: MongoAddress, answerMs: number): MongoClient {
  try {
    return new MongoClient(address.url, {
      appName: 'waymark',
      serverSelectionTimeoutMS: FIND_SERVER_MS,
      connectTimeoutMS: CONNECT_MS,
      socketTimeoutMS: answerMs,
      readPreference: 'primary',
      writeConcern: { w: 'majority', journal: true },
      retryWrites: true,
    });
  } catch (fault) {
    throw refused(address, 'cannot be used', fault);
  }
}

function refused({ shown }: MongoAddress, what: string, cause: unknown): StoreRefused {
  return new StoreRefused('read models', `MongoDB at ${shown} ${what}: ${reasonOf(cause)}`, { cause });
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
