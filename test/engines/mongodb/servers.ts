import { afterAll, beforeAll } from 'bun:test';
import { type MongoAddress, readMongoUrl } from '../../../src/adapters/mongodb/address.ts';
import { type Database, openDatabase } from '../../../src/adapters/mongodb/database.ts';
import { BUILD_MS, type FerretDb, startFerretDb } from '../../peers/ferretdb.ts';

/** A server that the tests of this folder run against. */
export type Server = {
  readonly name: string;
  /** An empty database of its own, for one test. */
  empty(): TestDatabase;
};

export type TestDatabase = {
  readonly address: MongoAddress;
  /** Opens it once more, as another node does. */
  open(): Promise<Database>;
  /** Closes whatever was opened. */
  close(): Promise<void>;
  /** Closes whatever was opened, and drops it. */
  remove(): Promise<void>;
};

/** FerretDB, started before the tests of the file, and the server that MONGODB_URL names, if it names one. */
export function mongoServers(): readonly Server[] {
  let ferretDb: FerretDb;
  beforeAll(async () => {
    ferretDb = await startFerretDb();
  }, BUILD_MS);
  afterAll(async () => {
    await ferretDb?.[Symbol.asyncDispose]();
  });
  const real = process.env['MONGODB_URL'] ?? '';
  return [
    { name: 'FerretDB', empty: () => databaseAt(ferretDb.url) },
    ...(real === '' ? [] : [{ name: 'MONGODB_URL', empty: () => databaseAt(real) }]),
  ];
}

/** What a URL says. @throws where it is none */
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
