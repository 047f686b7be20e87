import { afterAll, beforeAll, expect, test } from 'bun:test';
import { EVENTSTOREDB_POSITIONS } from '../../src/adapters/eventstoredb/positions.ts';
import { openDatabase } from '../../src/adapters/mongodb/database.ts';
import { openReadModelStore } from '../../src/adapters/mongodb/read-model-store.ts';
import { apiKeyCodec } from '../../src/domain/apikey/decider.ts';
import { pause } from '../chaos/kill/real-time.ts';
import { connected } from '../contract/event-store/remote.ts';
import { mongoAddress } from '../contract/mongodb/servers.ts';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { SOME_CAUSE } from '../support/recorded.ts';
import { ADMIN, call, until } from './client.ts';
import { type Cluster, type ClusterNode, startCluster } from './cluster.ts';

const START_MS = 120_000;
const SETTLED_MS = 60_000;
/** Enough for many batches of a rebuild. */
const STREAMS = 60;
const EVENTS_EACH = 1_000;
const LOOK_MS = 2;
const BUILD = 'keys.v6.b2';

type Status = {
  readonly name: string;
  readonly collection: string;
  readonly last_rebuild: { readonly kind: string; readonly collection: string; readonly events: number } | null;
};

let cluster: Cluster;
let api: ClusterNode;
let projectors: ClusterNode[];

beforeAll(async () => {
  cluster = await startCluster();
  const store = connected(cluster.events.url);
  const event = apiKeyCodec.encode({ type: 'KeyDeactivated', data: { at: SOME_CAUSE.at } });
  for (let stream = 0; stream < STREAMS; stream++) {
    const events = Array.from({ length: EVENTS_EACH }, () => ({
      id: crypto.randomUUID(),
      ...event,
      cause: SOME_CAUSE,
    }));
    await store.append(`apikey-key_${stream}`, -1, events);
  }
  await store.close();
  projectors = [await cluster.start('projector'), await cluster.start('projector')];
  api = await cluster.start('api');
}, BUILD_MS + START_MS);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

async function keys(): Promise<Status | undefined> {
  const { data } = await call<{ items: readonly Status[] }>(api, '/api/ops/projections', { headers: ADMIN });
  return data.items.find(({ name }) => name === 'keys');
}

test(
  'a projector is killed in the middle of a rebuild: another one goes on with its build, and applies no event that it holds',
  async () => {
    const database = await openDatabase(mongoAddress(cluster.documents.url));
    const readModels = openReadModelStore(database, EVENTSTOREDB_POSITIONS);
    const started = await call(api, '/api/ops/projections/keys/rebuild', { headers: ADMIN, body: {} });
    expect(started.data).toEqual({ name: 'keys', rebuild: 'started' });
    while ((await readModels.checkpoint(BUILD)) === null) await pause(LOOK_MS);
    const holder = projectors.find(({ program }) => {
      const logged = program.stdout.lines.filter((line) => line.includes('"lease":"projection-keys.v6"')).at(-1);
      return logged?.includes('"msg":"lease taken"') === true;
    });
    await holder?.program.kill();
    const reached = (await readModels.checkpoint(BUILD)) ?? 0;
    const events = (await cluster.log()).filter(({ stream }) => stream.startsWith('apikey-'));
    const left = events.filter(({ position }) => position > reached).length;
    process.stdout.write(`killed after ${events.length - left} of ${events.length} events\n`);
    expect(left).toBeGreaterThan(0);
    await until('the rebuild has ended', SETTLED_MS, async () => (await keys())?.last_rebuild !== null);
    expect(await keys()).toMatchObject({
      collection: BUILD,
      last_rebuild: { kind: 'rebuilt', collection: BUILD, events: left, differences: 0 },
    });
    await readModels.close();
    await database.close();
  },
  START_MS,
);
