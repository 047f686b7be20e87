import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { EventStoreDbPeer } from '../support/eventstoredb-peer.ts';
import { startFerretDb } from '../support/peers/ferretdb.ts';
import { runProgram } from '../support/process.ts';

/** The engine pairs that a node runs on. */
export const ENGINES = ['embedded', 'shared'] as const;
export type EnginesName = (typeof ENGINES)[number];

/** An engine pair that is ready for a measurement. The settings lack `DATA_DIR`, which every server has its own of. */
export type BenchEngines = AsyncDisposable & {
  readonly name: EnginesName;
  /** Describes the engines to the reader of the figures. */
  readonly what: string;
  readonly settings: Readonly<Record<string, string>>;
};

const PEERS = `a test peer in Node that speaks EventStoreDB's protocol and syncs its file for each batch of appends, and FerretDB \
on SQLite instead of MongoDB: the figures show the cost of the adapters and the service, not the capacity of EventStoreDB and MongoDB`;

export function isEnginesName(name: string): name is EnginesName {
  return ENGINES.some((known) => known === name);
}

/** @param directory for the engines' data; the caller removes it */
export async function openBenchEngines(name: EnginesName, directory: string): Promise<BenchEngines> {
  if (name === 'shared') return openShared(directory);
  return {
    name,
    what: 'SQLite in the process of the service, in WAL mode, with synchronous=FULL for events',
    // Overrides the environment's.
    settings: { EVENTSTORE_URL: '', MONGODB_URL: '' },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** The servers that the environment names, which must be dedicated to the bench; else empty test peers. */
async function openShared(directory: string): Promise<BenchEngines> {
  await using opening = new AsyncDisposableStack();
  mkdirSync(directory, { recursive: true });
  const { EVENTSTORE_URL = '', MONGODB_URL = '' } = process.env;
  const real = EVENTSTORE_URL !== '' && MONGODB_URL !== '';
  const urls = real ? { EVENTSTORE_URL, MONGODB_URL } : await startPeers(directory, opening);
  const settings = {
    ...urls,
    WAYMARK_SECRET_KEY: process.env['WAYMARK_SECRET_KEY'] ?? '5a'.repeat(32),
    WAYMARK_ADMIN_TOKEN: 'admin-token-of-the-bench',
    WAYMARK_ANALYST_TOKEN: 'analyst-token-of-the-bench',
  };
  const migrated = await runProgram(['migrate', 'up'], { ...settings, DATA_DIR: join(directory, 'migrate') });
  if (migrated.exitCode !== 0) throw new Error(`the database was not migrated:\n${migrated.stderr}`);
  const opened = opening.move();
  return {
    name: 'shared',
    what: real ? 'the servers that EVENTSTORE_URL and MONGODB_URL name' : PEERS,
    settings,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function startPeers(directory: string, opening: AsyncDisposableStack): Promise<Record<string, string>> {
  const events = opening.use(await EventStoreDbPeer.start({ data: join(directory, 'events.log') }));
  const documents = opening.use(await startFerretDb());
  return { EVENTSTORE_URL: events.url, MONGODB_URL: documents.url };
}
