import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type MongoAddress, readMongoUrl } from '../../src/adapters/mongodb/address.ts';
import { openDatabase } from '../../src/adapters/mongodb/database.ts';
import { EventStoreDbPeer } from '../support/eventstoredb-peer.ts';
import { startFerretDb } from '../support/peers/ferretdb.ts';
import { type EnginesName, type Installation, startBenchServer } from './bench-server.ts';

type Settings = Readonly<Record<string, string>>;

/** An engine pair that is ready for measurements. */
export type BenchEngines = AsyncDisposable & {
  readonly name: EnginesName;
  /** Describes the engines to the reader of the figures. */
  readonly what: string;
  /** @param root a checkout of the project, with installed packages */
  install(root: string, settings: Settings): Promise<Installation>;
};

type Options = {
  /** For the data of engines and services; the caller removes it. */
  readonly directory: string;
  /** A directory for CPU profiles of the servers; undefined for none. */
  readonly profileTo: string | undefined;
};

const PEERS = `a test peer in Node that speaks EventStoreDB's protocol and syncs its file for each batch of appends, and FerretDB \
on SQLite instead of MongoDB: the figures show the cost of the adapters and the service, not the capacity of EventStoreDB and MongoDB`;
/** Every node of an installation has the same ones. */
const SECRETS = {
  WAYMARK_SECRET_KEY: '5a'.repeat(32),
  WAYMARK_ADMIN_TOKEN: 'admin-token-of-the-bench',
  WAYMARK_ANALYST_TOKEN: 'analyst-token-of-the-bench',
};

export async function openBenchEngines(name: EnginesName, options: Options): Promise<BenchEngines> {
  if (name === 'shared') return openShared(options);
  return {
    name,
    what: 'SQLite in the process of the service, in WAL mode, with synchronous=FULL for events',
    // Overrides the environment's.
    install: async (root, settings) =>
      installed(name, root, { ...settings, EVENTSTORE_URL: '', MONGODB_URL: '' }, options, async () => {}),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** The servers that the environment names, else empty test peers. */
async function openShared(options: Options): Promise<BenchEngines> {
  await using opening = new AsyncDisposableStack();
  const { EVENTSTORE_URL = '', MONGODB_URL = '' } = process.env;
  if ((EVENTSTORE_URL === '') !== (MONGODB_URL === ''))
    throw new Error('set EVENTSTORE_URL and MONGODB_URL, or neither for test peers');
  const real = EVENTSTORE_URL !== '';
  const [events, documents] = real ? [EVENTSTORE_URL, MONGODB_URL] : await startPeers(options.directory, opening);
  const run = `bench-${randomUUID().slice(0, 8)}`;
  let installations = 0;
  const opened = opening.move();
  return {
    name: 'shared',
    what: real
      ? `the servers that EVENTSTORE_URL and MONGODB_URL name. The log keeps the streams named ${run}-*`
      : PEERS,
    async install(root, settings) {
      const name = `${run}-${++installations}`;
      const address = databaseIn(documents, `waymark-${name}`);
      const shared = {
        ...settings,
        ...SECRETS,
        EVENTSTORE_URL: events,
        MONGODB_URL: address.url,
        WAYMARK_STREAM_PREFIX: `${name}.`,
      };
      await migrate(root, { ...shared, DATA_DIR: join(options.directory, 'migrate') });
      return installed('shared', root, shared, options, () => drop(address));
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function installed(
  engines: EnginesName,
  root: string,
  settings: Settings,
  options: Options,
  remove: () => Promise<void>,
): Installation {
  const { directory, profileTo } = options;
  const DATA_DIR = join(directory, randomUUID());
  return {
    engines,
    dataDirectory: DATA_DIR,
    run: (program, report) => output(root, program, { ...settings, DATA_DIR }, report),
    start: (more) => startBenchServer(root, { ...settings, ...more, DATA_DIR }, profileTo),
    async [Symbol.asyncDispose]() {
      rmSync(DATA_DIR, { recursive: true, force: true });
      await remove();
    },
  };
}

async function output(
  root: string,
  program: readonly string[],
  settings: Settings,
  report: (line: string) => void,
): Promise<string> {
  const running = Bun.spawn([process.execPath, ...program], {
    cwd: root,
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const reporting = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of running.stderr) {
      for (const line of decoder.decode(chunk, { stream: true }).split('\n')) if (line !== '') report(line);
    }
  })();
  const [exitCode, text] = await Promise.all([running.exited, running.stdout.text(), reporting]);
  if (exitCode !== 0) throw new Error(`${program.join(' ')} ended with code ${exitCode}: ${text}`);
  return text;
}

async function startPeers(directory: string, opening: AsyncDisposableStack): Promise<[string, string]> {
  mkdirSync(directory, { recursive: true });
  const events = opening.use(await EventStoreDbPeer.start({ data: join(directory, 'events.log') }));
  const documents = opening.use(await startFerretDb());
  return [events.url, documents.url];
}

/** The URL with another database. The user stays the one of the database that the URL names. */
function databaseIn(url: string, name: string): MongoAddress {
  // Not `URL`, which refuses several hosts with ports.
  const [, server = '', database = '', query = ''] = /^([^/]+\/\/[^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/.exec(url) ?? [];
  const options = new URLSearchParams(query);
  if (server.includes('@') && !options.has('authSource')) options.set('authSource', database || 'admin');
  const read = readMongoUrl(`${server}/${name}?${options.toString()}`);
  if (read.kind === 'fault') throw new Error(`MONGODB_URL ${read.rule}`);
  return read.address;
}

async function drop(address: MongoAddress): Promise<void> {
  const database = await openDatabase(address);
  try {
    await database.db.dropDatabase();
  } finally {
    await database.close();
  }
}

async function migrate(root: string, settings: Settings): Promise<void> {
  await output(root, ['src/main.ts', 'migrate', 'up'], settings, () => {});
}
