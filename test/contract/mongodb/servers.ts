import { afterAll, beforeAll } from 'bun:test';
import { type MongoAddress, readMongoUrl } from '../../../src/adapters/mongodb/address.ts';
import { type Database, openDatabase } from '../../../src/adapters/mongodb/database.ts';
import { BUILD_MS, type FerretDb, startFerretDb } from '../../support/peers/ferretdb.ts';

/** Longer than the adapter's server selection. */
const REACHED_MS = 30_000;

/** A server that the tests of this folder run against. */
export type Server = {
  readonly name: string;
  /** An empty database for one test. */
  empty(): TestDatabase;
};

export type TestDatabase = {
  readonly address: MongoAddress;
  /** Opens it again, as another node does. */
  open(): Promise<Database>;
  /** Closes everything. */
  close(): Promise<void>;
  /** Closes everything and drops the database. */
  remove(): Promise<void>;
};

/** The server in MONGODB_URL; if it is not set, FerretDB, started before the tests of the file. */
export function mongoServers(): readonly Server[] {
  const real = process.env['MONGODB_URL'] ?? '';
  if (real !== '') {
    beforeAll(() => assertAnswers(real), REACHED_MS);
    return [{ name: 'the server of MONGODB_URL', empty: () => databaseAt(real) }];
  }
  let ferretDb: FerretDb;
  beforeAll(async () => {
    ferretDb = await startFerretDb();
  }, BUILD_MS);
  afterAll(async () => {
    await ferretDb?.[Symbol.asyncDispose]();
  });
  return [{ name: 'FerretDB', empty: () => databaseAt(ferretDb.url) }];
}

/** @throws if that server does not answer; no other server replaces it */
async function assertAnswers(url: string): Promise<void> {
  try {
    await (await openDatabase(mongoAddress(url))).close();
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message : String(fault);
    throw new Error(`MONGODB_URL names a server that cannot be used: ${reason}`, { cause: fault });
  }
}

/** @throws if the URL is malformed */
export function mongoAddress(url: string): MongoAddress {
  const read = readMongoUrl(url);
  if (read.kind === 'fault') throw new Error(`MONGODB_URL ${read.rule}`);
  return read.address;
}

export function databaseAt(url: string): TestDatabase {
  const address = { ...mongoAddress(url), database: `waymark_test_${crypto.randomUUID().slice(0, 13)}` };
  const opened: Database[] = [];
  const open = async (): Promise<Database> => {
    const database = await openDatabase(address);
    opened.push(database);
    return database;
  };
  const close = async (): Promise<void> => {
    await Promise.all(opened.map((database) => database.close()));
  };
  return {
    address,
    open,
    close,
    async remove() {
      const { db } = await open();
      await db.dropDatabase();
      await close();
    },
  };
}
