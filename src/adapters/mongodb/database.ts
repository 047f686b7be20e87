import { type CollectionOptions, type Db, MongoClient } from 'mongodb';
import { StoreRefused } from '../../ports/store-refused.ts';
import { StoreUnavailable } from '../../ports/store-unavailable.ts';
import type { MongoAddress } from './address.ts';
import { keepsUsOut } from './server-faults.ts';
import { watchForStuckSockets } from './stuck-sockets.ts';

/** One database of one server, replica set or sharded cluster, as the stores of this folder share it. */
export type Database = {
  readonly db: Db;
  /** How documents are read: only what no failover takes back. */
  readonly reading: Pick<CollectionOptions, 'readConcern' | 'readPreference'>;
  close(): Promise<void>;
};

/** MongoDB was not reached when the database was opened. Names hosts, and no password. */
export class DatabaseUnreachable extends StoreUnavailable {
  constructor({ shown }: MongoAddress, cause: unknown) {
    super('read models', `MongoDB at ${shown} cannot be used: ${reasonOf(cause)}`, { cause });
    this.name = 'DatabaseUnreachable';
  }
}

/** A server that can be written to is looked for so long before a call is rejected. */
const FIND_SERVER_MS = 5_000;
const CONNECT_MS = 5_000;
/** A socket that has not told by then whether it is connected never will. */
const STUCK_MS = CONNECT_MS + 1_000;
/** An answer is waited for so long before the connection counts as dead. */
const ANSWER_MS = 10_000;

/**
 * Opens the database, and makes sure that it is there.
 *
 * @param answerMs 0 to wait for an answer for ever, as what builds indexes does
 * @throws DatabaseUnreachable; StoreRefused where MongoDB keeps us out, or the URL has an option that there is not
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
    // A single server has no majority to ask for: what it has written is what there is.
    const readConcern = { level: replicated ? 'majority' : 'local' } as const;
    return { db, reading: { readConcern, readPreference: 'primary' }, close };
  } catch (fault) {
    await close();
    throw keepsUsOut(fault) ? refused(address, 'keeps us out', fault) : new DatabaseUnreachable(address, fault);
  }
}

/** Does not connect yet. @throws StoreRefused where the driver does not understand the URL's options */
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
