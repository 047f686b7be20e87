import { mkdirSync } from 'node:fs';
import type { Role } from '../../src/config.ts';
import type { StoredEvent } from '../../src/ports/event-store.ts';
import { type OnSale, writeCatalogue } from '../chaos/kill/catalogue.ts';
import { everyEvent } from '../chaos/kill/stopped.ts';
import { connected } from '../contract/event-store/remote.ts';
import { EventStoreDbPeer, type ServerCalls, type Slowness } from '../support/eventstoredb-peer.ts';
import { type FerretDb, startFerretDb } from '../support/peers/ferretdb.ts';
import { type Program, runProgram, startProgram } from '../support/process.ts';
import { SmtpPeer } from '../support/smtp-peer.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Short, so that another node soon takes over from a killed one. */
export const LEASE_MS = 2_000;
/** Makes a node one of the next release. */
export const NEXT_RELEASE = { BUN_OPTIONS: '--preload=./test/cluster/next-release.ts' };
export const ADMIN_TOKEN = 'admin-token-of-the-cluster';

/** A node, in its own process. */
export type ClusterNode = { readonly roles: string; readonly program: Program; readonly url: string };

/** The event store. A restart after a kill is a new process on the same file. */
export type Events = {
  readonly url: string;
  /** The file with the events. */
  readonly data: string;
  /** The calls since the last start. */
  calls(): Promise<ServerCalls>;
  kill(): Promise<void>;
  restart(): Promise<void>;
  pause(): void;
  resume(): void;
  /** From now on the server refuses appends and serves reads, as with a full disk. */
  refuseAppends(): Promise<void>;
  /** The same for one stream. */
  refuseAppendsTo(stream: string): Promise<void>;
  /** From now on delays the answer to each append. */
  delayAppends(ms: number): Promise<void>;
  /** From now on every call is slow, and the server pauses at times. */
  slow(slowness: Slowness): Promise<void>;
  /** Ends all faults. */
  mend(): Promise<void>;
  /** Sends nothing more to the present subscriptions of the node that subscribed last, without a sign. */
  mute(): Promise<void>;
  /** Removes erased events from the file. */
  scavenge(): Promise<void>;
};

/** Until `mend`. */
const ALWAYS = { times: Number.MAX_SAFE_INTEGER };

/** Engines, and the nodes that a test starts on them. */
export type Cluster = AsyncDisposable & {
  readonly events: Events;
  readonly documents: FerretDb;
  readonly mails: SmtpPeer;
  readonly sale: OnSale;
  /** Starts a node and resolves when it listens. */
  start(roles: Role | 'all', settings?: Readonly<Record<string, string>>): Promise<ClusterNode>;
  /** Starts a node without waiting for it. */
  begin(roles: Role | 'all', settings?: Readonly<Record<string, string>>): Program;
  /** Runs `waymark migrate up`. @throws Error with its stderr if it fails */
  migrate(settings?: Readonly<Record<string, string>>): Promise<void>;
  /** The whole log. */
  log(): Promise<readonly StoredEvent[]>;
};

/** @param settings more settings of every node */
export async function startCluster(settings: Readonly<Record<string, string>> = {}): Promise<Cluster> {
  await using starting = new AsyncDisposableStack();
  const directory = starting.use(temporaryDirectory());
  const sale = writeCatalogue(directory.file('catalogue'), Date.now());
  const events = starting.adopt(await startEvents(directory.file('events.log')), (them) => them.kill());
  const documents = starting.use(await startFerretDb());
  const mails = starting.use(await SmtpPeer.listen());
  const programs: Program[] = [];
  starting.defer(async () => {
    await Promise.all(programs.map((program) => program.kill()));
  });
  const shared = {
    NODE_ENV: 'test',
    HOST: '127.0.0.1',
    PORT: '0',
    EVENTSTORE_URL: events.url,
    MONGODB_URL: documents.url,
    SMTP_URL: mails.url,
    CATALOGUE_DIR: directory.file('catalogue'),
    PUBLIC_URL: 'http://cluster.test',
    WAYMARK_SECRET_KEY: '5a'.repeat(32),
    WAYMARK_ADMIN_TOKEN: ADMIN_TOKEN,
    WAYMARK_ANALYST_TOKEN: 'analyst-token-of-the-cluster',
    LEASE_TTL_MS: String(LEASE_MS),
    ...settings,
  };
  const migrate: Cluster['migrate'] = async (own = {}) => {
    const migrated = await runProgram(['migrate', 'up'], { ...shared, DATA_DIR: directory.file('migrate'), ...own });
    if (migrated.exitCode !== 0) throw new Error(`the database was not migrated:\n${migrated.stderr}`);
  };
  await migrate();
  const begin: Cluster['begin'] = (roles, own = {}) => {
    const data = directory.file(`node-${programs.length}`);
    mkdirSync(data);
    const split = roles === 'all' ? [] : ['--roles', roles];
    const program = startProgram(['serve', ...split], { ...shared, DATA_DIR: data, ...own });
    programs.push(program);
    return program;
  };
  const started = starting.move();
  return {
    events,
    documents,
    mails,
    sale,
    begin,
    migrate,
    start: (roles, own) => listening(begin(roles, own), roles),
    log: () => readLog(events.url),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** @throws Error with its stderr if the process ends before it listens */
export async function listening(program: Program, roles: string): Promise<ClusterNode> {
  const line = await program.stdout.line(/"url":"([^"]+)".*"msg":"listening"/);
  if (line === null) throw new Error(`a node ended with code ${await program.ended()}:\n${program.stderr.text}`);
  return { roles, program, url: line[1] ?? '' };
}

async function startEvents(data: string): Promise<Events> {
  let peer = await EventStoreDbPeer.start({ data });
  const { port, url } = peer;
  return {
    url,
    data,
    calls: () => peer.calls(),
    kill: () => peer.kill(),
    async restart() {
      peer = await EventStoreDbPeer.start({ data, port });
    },
    pause: () => peer.pause(),
    resume: () => peer.resume(),
    refuseAppends: () => peer.fault('append', { kind: 'busy' }, ALWAYS),
    refuseAppendsTo: (stream) => peer.fault('append', { kind: 'busy' }, { ...ALWAYS, stream }),
    delayAppends: (ms) => peer.fault('append', { kind: 'delay', ms }, ALWAYS),
    slow: (slowness) => peer.latency(slowness),
    mend: () => peer.clearFaults(),
    mute: () => peer.muteSubscriptions(),
    scavenge: () => peer.scavenge(),
  };
}

async function readLog(url: string): Promise<readonly StoredEvent[]> {
  const store = connected(url);
  try {
    return await everyEvent(store);
  } finally {
    await store.close();
  }
}
