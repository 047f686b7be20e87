import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECTIONS } from '../../projections/index.ts';
import { ACTOR_LIMITS } from '../actors/limits.ts';
import { createActorSystem } from '../actors/system.ts';
import { DataDirectoryInUse } from '../adapters/sqlite/data-directory.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import { systemLog } from '../adapters/system/log.ts';
import { type EmbeddedStores, openStores, type Stores } from '../app/embedded-stores.ts';
import { openParking } from '../app/parking.ts';
import { openStreams } from '../application/streams.ts';
import { type Config, readConfig } from '../config.ts';
import type { RebuildOutcome } from '../eventsourcing/projection.ts';
import { CheckpointNotInLog } from '../ports/event-store.ts';
import { assertInLog, discard } from '../runtime/checkpoints.ts';
import { openProjector, rebuildOutcomeOf } from '../runtime/projector.ts';
import { pause, unlessAborted } from '../runtime/running.ts';
import { command, refuse } from './command.ts';
import { type LogProgress, LogProgressLine } from './log-progress.ts';
import { kept, serviceUrl } from './running-service.ts';

const POLL_MS = 500;

/** An element of the service's list of projections. */
type ListedProjection = {
  readonly name: string;
  readonly rebuild: LogProgress | null;
  readonly last_rebuild: RebuildOutcome | null;
};

/** Stands for every projection. */
const ALL = 'all';
/** While a service waits for its read models to be repaired, it locks the data directory briefly at each retry. */
const LOCK_TRIES = 20;
const LOCK_RETRY_MS = 100;

const NAMES = PROJECTIONS.map(({ name }) => name);

export const REBUILD = command({
  name: 'rebuild',
  summary: 'Rebuilds a projection from the events, beside the old one, which serves until the new one is complete.',
  details: [
    'If a service runs on the data directory, or the events are in EventStoreDB, the service does it and still answers requests.',
    'A rebuild that was interrupted is resumed by the same command, or by the next start of the service.',
    'SIGINT and SIGTERM interrupt it; a running service goes on with the rebuild that it has begun.',
    `\`${ALL}\` rebuilds every projection. If a read model does not belong to the log, which was replaced or restored, \`${ALL}\` discards all read models, and the service rebuilds them.`,
  ],
  arguments: [{ name: 'PROJECTION', meaning: 'The projection.', values: [...NAMES, ALL] }],
  options: {},
  settings: ['DATA_DIR', 'EVENTSTORE_URL', 'MONGODB_URL', 'WAYMARK_ADMIN_TOKEN', 'WAYMARK_URL'],
  exitCodes: {
    0: 'The projections are rebuilt, or the read models discarded.',
    1: 'A rebuild failed or was interrupted, or a setting is invalid.',
    2: 'Invalid arguments, or the command found neither events nor a service.',
  },
  run: ({ arguments: [name = ALL] }) => rebuild(name, readConfig(process.env, 'command')),
});

/** Done by the running service if there is one, else by this process. */
async function rebuild(name: string, config: Config): Promise<number> {
  const names = name === ALL ? NAMES : [name];
  if (config.eventStore !== null) {
    if (name === ALL && (await discardShared(config))) return 0;
    // Several nodes share the stores: one of them does the rebuild.
    return rebuildByService(names, config);
  }
  if (!existsSync(join(config.dataDirectory, 'events.db')))
    return refuse(
      'rebuild',
      `there are no events in ${config.dataDirectory}; set DATA_DIR to the service's data directory`,
    );
  const stores = await openUnlessInUse(config, name === ALL ? LOCK_TRIES : 1);
  return stores === null ? rebuildByService(names, config) : rebuildHere(name, names, stores);
}

/** Null if a running service has locked the data directory. */
async function openUnlessInUse(config: Config, tries: number): Promise<EmbeddedStores | null> {
  for (let left = tries; left > 0; left--) {
    try {
      // The projector logs an event that cannot be decoded.
      return openStores(config, { note: () => {} });
    } catch (fault) {
      if (!(fault instanceof DataDirectoryInUse)) throw fault;
    }
    if (left > 1) await pause(LOCK_RETRY_MS);
  }
  return null;
}

async function rebuildHere(name: string, names: readonly string[], stores: EmbeddedStores): Promise<number> {
  try {
    if (name === ALL && (await discardUnlessInLog(stores))) return 0;
    const projections = PROJECTIONS.filter((projection) => names.includes(projection.name));
    const log = systemLog('error');
    const system = createActorSystem({ clock: systemClock, log, limits: ACTOR_LIMITS });
    const streams = openStreams({ store: stores.store, ids: systemIds, system });
    const parking = await openParking({ store: stores.store, streams, clock: systemClock, ids: systemIds, log });
    const projector = await openProjector(projections, { ...stores, parking, log });
    const progress = new LogProgressLine();
    onInterrupt(() => void projector.stop());
    // At once, so that they read the log together.
    const outcomes = await Promise.all(
      names.map((each) => rebuildOutcomeOf(projector.rebuild(each, { progress: (now) => progress.show(each, now) }))),
    );
    progress.end();
    const codes = names.map((each, index) => report(each, outcomes[index] ?? null));
    const code = Math.max(0, ...codes);
    await projector.stop();
    await parking.stop();
    await system.drain();
    return code;
  } finally {
    await stores.close();
  }
}

/** For shared stores. The nodes cannot do it: they are not ready while a read model does not belong to the log. */
async function discardShared({ eventStore, mongodb }: Config): Promise<boolean> {
  if (eventStore === null || mongodb === null) return false;
  const [{ connectEventStore }, { openMongoStores }] = await Promise.all([
    import('../adapters/eventstoredb/event-store.ts'),
    import('../app/mongo-stores.ts'),
  ]);
  await using opened = new AsyncDisposableStack();
  const store = opened.adopt(connectEventStore(eventStore, { log: systemLog('error') }), (it) => it.close());
  const documents = opened.adopt(await openMongoStores(mongodb, systemClock), (it) => it.close());
  // Awaited here, because returning closes the stores.
  return await discardUnlessInLog({ store, readModels: documents.readModels });
}

type Readable = Pick<Stores, 'readModels'> & { readonly store: Pick<Stores['store'], 'check'> };

/** Discards every read model if one of them is not of this log: then none can be trusted. */
async function discardUnlessInLog({ store, readModels }: Readable): Promise<boolean> {
  try {
    await assertInLog(PROJECTIONS, { store, readModels, log: systemLog('error') });
    return false;
  } catch (fault) {
    if (!(fault instanceof CheckpointNotInLog)) throw fault;
    const discarded = await discard(PROJECTIONS, readModels);
    process.stdout.write(`${fault.message}\n${discarded.length} collections discarded: `);
    process.stdout.write('the service folds them anew from the log, and is ready when that is done\n');
    return true;
  }
}

async function rebuildByService(names: readonly string[], config: Config): Promise<number> {
  const url = serviceUrl(config);
  if (url === null) return refuse('rebuild', 'set WAYMARK_URL to the address of the service');
  const token = config.adminToken ?? kept(config, 'admin-token') ?? '';
  const interrupted = new AbortController();
  onInterrupt(() => interrupted.abort());
  let code = 0;
  for (const [index, name] of names.entries()) {
    const outcome = await unlessAborted(rebuildOneByService(name, url, token), interrupted.signal);
    if (outcome === null) return interruptedBeside(url, name, names.slice(index + 1));
    code = Math.max(code, outcome);
  }
  return code;
}

function interruptedBeside(url: string, name: string, later: readonly string[]): number {
  const goesOn = `the service at ${url} goes on with the rebuild of "${name}" if it has begun it`;
  const not = later.length === 0 ? '' : `, and does not begin that of ${later.join(', ')}`;
  process.stderr.write(`${process.stdout.isTTY ? '\n' : ''}waymark rebuild: interrupted; ${goesOn}${not}\n`);
  return 1;
}

/** A second signal ends the process at once. */
function onInterrupt(interrupt: () => void): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, interrupt);
}

async function rebuildOneByService(name: string, url: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const started = await fetch(`${url}/api/ops/projections/${name}/rebuild`, { method: 'POST', headers });
  if (!started.ok) {
    process.stderr.write(
      `waymark rebuild: the service at ${url} answered ${started.status}: ${await started.text()}\n`,
    );
    return 1;
  }
  const progress = new LogProgressLine();
  for (;;) {
    const answer = await fetch(`${url}/api/ops/projections`, { headers });
    // The format of our own API.
    const { data } = (await answer.json()) as { data: { items: ListedProjection[] } };
    const status = data.items.find((projection) => projection.name === name);
    if (status?.rebuild === null || status === undefined) {
      progress.end();
      return report(name, status?.last_rebuild ?? null);
    }
    progress.show(name, status.rebuild);
    await pause(POLL_MS);
  }
}

/** Prints the outcome. @returns the exit code of the process */
function report(name: string, outcome: RebuildOutcome | null): number {
  if (outcome?.kind === 'rebuilt') {
    const { collection, events, differences } = outcome;
    process.stdout.write(
      `${name}: ${events} events folded into ${collection}; ${differences} documents differed from the old build\n`,
    );
    return 0;
  }
  process.stderr.write(`waymark rebuild: ${outcome?.message ?? 'the service reports no outcome'}\n`);
  return 1;
}
