import { afterAll, beforeAll, expect, test } from 'bun:test';
import { PROJECTIONS } from '../../projections/index.ts';
import { EVENTSTOREDB_POSITIONS } from '../../src/adapters/eventstoredb/positions.ts';
import { readMongoUrl } from '../../src/adapters/mongodb/address.ts';
import { openDatabase } from '../../src/adapters/mongodb/database.ts';
import { openReadModelStore } from '../../src/adapters/mongodb/read-model-store.ts';
import { auditLog } from '../chaos/kill/audit.ts';
import { dateAhead } from '../chaos/kill/catalogue.ts';
import { readHistory } from '../chaos/kill/history.ts';
import type { BookingData } from '../chaos/kill/wire.ts';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { ADMIN, call, freeSlots, type Headers, keyKnownTo, listedBookings, ready, until, wish } from './client.ts';
import { type Cluster, type ClusterNode, NEXT_RELEASE, startCluster } from './cluster.ts';
import { openProxy, type Proxy } from './proxy.ts';

const CLIENTS = 3;
const START_MS = 60_000;
/** Longer than the proxy takes to notice that a node is stopping. */
const DRAIN = { STOP_DELAY_MS: '400' };
/** Projections that the next release changes. */
const CHANGED = ['bookings', 'inventory'] as const;

type Status = {
  readonly name: string;
  readonly version: number;
  readonly collection: string;
  readonly rebuild: object | null;
  readonly last_rebuild: { readonly collection?: string; readonly differences?: number } | null;
};
/** The nodes of one release. */
type Release = { readonly api: ClusterNode; readonly projector: ClusterNode };

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
}, BUILD_MS + START_MS);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

async function statusesAt({ api }: Release): Promise<readonly Status[]> {
  const { data } = await call<{ items: readonly Status[] }>(api, '/api/ops/projections', { headers: ADMIN });
  return data.items;
}

async function changedAt(release: Release): Promise<readonly Status[]> {
  const statuses = await statusesAt(release);
  return CHANGED.flatMap((name) => statuses.filter((status) => status.name === name));
}

/** Rebuilds every read model of a release. @returns the names of those that differ from their rebuild */
async function differing(release: Release): Promise<readonly string[]> {
  const before = await statusesAt(release);
  for (const { name } of before)
    await call(release.api, `/api/ops/projections/${name}/rebuild`, { headers: ADMIN, body: {} });
  await until('every rebuild has ended', START_MS, async () => {
    const now = await statusesAt(release);
    return now.every(({ rebuild, collection }, index) => rebuild === null && collection !== before[index]?.collection);
  });
  const after = await statusesAt(release);
  return after.flatMap(({ name, last_rebuild: last }) => (last?.differences === 0 ? [] : [name]));
}

/** Books through one release, and expects the other one to list the booking and to subtract its slots. */
async function expectShared(from: Release, to: Release, headers: Headers): Promise<void> {
  const [activity] = cluster.sale.large;
  const date = dateAhead(cluster.sale, 9);
  const before = (await freeSlots(to.api, headers, activity, date)) ?? 0;
  const booked = await call<BookingData>(from.api, '/api/b2a/execute_booking', {
    headers,
    body: wish(activity, date),
  });
  expect(booked.status).toBe(200);
  const fresh = { ...headers, 'x-position': booked.position };
  expect(await listedBookings(to.api, fresh)).toContain(booked.data.booking_id);
  expect(await freeSlots(to.api, fresh, activity, date)).toBe(before - 1);
}

/** By build of a changed projection: the releases that wrote its documents. */
async function writers(): Promise<Readonly<Record<string, readonly string[]>>> {
  const read = readMongoUrl(cluster.documents.url);
  if (read.kind === 'fault') throw new Error(read.rule);
  const database = await openDatabase(read.address);
  try {
    const readModels = openReadModelStore(database, EVENTSTOREDB_POSITIONS);
    const found: Record<string, readonly string[]> = {};
    for (const collection of await readModels.collections()) {
      if (!CHANGED.some((name) => collection.startsWith(`${name}.`))) continue;
      const documents = await Array.fromAsync(readModels.scan(collection));
      const of = documents.map(({ doc }) => (doc !== null && 'release' in doc ? String(doc.release) : 'this'));
      found[collection] = [...new Set(of)];
    }
    return found;
  } finally {
    await database.close();
  }
}

/** @param later how many versions after the one of this release */
function buildOf(name: string, later: number, build = 1): string {
  const version = PROJECTIONS.find((projection) => projection.name === name)?.version ?? 0;
  return `${name}.v${version + later}.b${build}`;
}

/** Whether a build belongs to the version of the next release. */
function isOfNext(collection: string): boolean {
  return CHANGED.some((name) => [1, 2].some((build) => collection === buildOf(name, 1, build)));
}

async function startRelease(proxy: Proxy, settings: Readonly<Record<string, string>>): Promise<Release> {
  const [projector, api] = await Promise.all([
    cluster.start('projector', settings),
    cluster.start('api', { ...settings, ...DRAIN }),
  ]);
  await ready(api);
  proxy.add(api.url);
  return { projector, api };
}

/** The projector stops last, since the API nodes read its documents. */
async function stopRelease(proxy: Proxy, { api, projector }: Release): Promise<void> {
  const exits = [await api.program.terminate()];
  proxy.remove(api.url);
  exits.push(await projector.program.terminate());
  expect(exits).toEqual([0, 0]);
}

test(
  'two releases run side by side, the newer is rolled back and rolled out again, and no request fails',
  async () => {
    await using proxy = openProxy();
    await cluster.start('deliverer');
    const older = await startRelease(proxy, {});
    const headers = await keyKnownTo([older.api]);
    const statuses = new Map<string, number>();
    let stopped = false;
    const client = async (index: number): Promise<void> => {
      const { large } = cluster.sale;
      for (let round = 0; !stopped; round++) {
        const body = wish(large[(index + round) % large.length] ?? '', dateAhead(cluster.sale, round % 3));
        const key = { ...headers, 'idempotency-key': `${index}-${round}` };
        const booked = await call(proxy, '/api/b2a/execute_booking', { headers: key, body });
        const fresh = { ...headers, 'x-position': booked.position };
        const listed = await call(proxy, '/api/b2a/bookings?limit=5', { headers: fresh });
        for (const { status, code } of [booked, listed])
          statuses.set(`${status} ${code}`, (statuses.get(`${status} ${code}`) ?? 0) + 1);
      }
    };
    const clients = Array.from({ length: CLIENTS }, (_, index) => client(index));

    const newer = await startRelease(proxy, NEXT_RELEASE);
    expect((await changedAt(older)).map(({ collection }) => collection)).toEqual(
      CHANGED.map((name) => buildOf(name, 0)),
    );
    expect((await changedAt(newer)).map(({ collection }) => collection)).toEqual(
      CHANGED.map((name) => buildOf(name, 1)),
    );
    await expectShared(older, newer, headers);
    await expectShared(newer, older, headers);
    expect(await writers()).toEqual({
      [buildOf('bookings', 0)]: ['this'],
      [buildOf('bookings', 1)]: ['next'],
      [buildOf('inventory', 0)]: ['this'],
      [buildOf('inventory', 1)]: ['next'],
    });

    await stopRelease(proxy, newer);
    await expectShared(older, older, headers);
    expect(await differing(older)).toEqual([]);

    const again = await startRelease(proxy, NEXT_RELEASE);
    await expectShared(older, again, headers);
    await stopRelease(proxy, older);
    await expectShared(again, again, headers);
    expect(await differing(again)).toEqual([]);

    stopped = true;
    await Promise.all(clients);
    process.stdout.write(`${statuses.get('200 ')} requests during the roll-out, roll-back and second roll-out\n`);
    expect([...statuses.keys()]).toEqual(['200 ']);
    expect(auditLog(readHistory(await cluster.log()))).toEqual([]);
    const found = await writers();
    const mixed = Object.entries(found).filter(([name, of]) => of.join() !== (isOfNext(name) ? 'next' : 'this'));
    expect(mixed).toEqual([]);
    expect(Object.keys(found)).toContain(buildOf('bookings', 1, 2));
  },
  START_MS * 3,
);
