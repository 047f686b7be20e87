import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dateAhead, writeCatalogue } from '../chaos/kill/catalogue.ts';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { ADMIN, call, keyKnownTo, until } from './client.ts';
import { type Cluster, type ClusterNode, startCluster } from './cluster.ts';

const START_MS = 60_000;
const EVERYWHERE_MS = 10_000;

type Prices = { readonly inventory: readonly { readonly price: number }[] };
type Refreshed = { readonly refreshed: boolean; readonly changed: number };

const directory = temporaryDirectory();
let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
}, BUILD_MS + START_MS);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  directory.remove();
});

/** Writes a node's catalogue with these prices; null leaves the activity out. */
function writeFilesOf(name: string, prices: Readonly<Record<string, number | null>>): Readonly<Record<string, string>> {
  const folder = directory.file(name);
  mkdirSync(folder, { recursive: true });
  writeCatalogue(folder, Date.now());
  const file = `${folder}/kill.json`;
  const catalogue: { activities: { id: string; price: number }[] } = JSON.parse(readFileSync(file, 'utf8'));
  catalogue.activities = catalogue.activities
    .filter(({ id }) => prices[id] !== null)
    .map((activity) => ({ ...activity, price: prices[activity.id] ?? activity.price }));
  writeFileSync(file, JSON.stringify(catalogue));
  return { CATALOGUE_DIR: folder };
}

test(
  'with different catalogue files on two nodes, the last change holds on both',
  async () => {
    const [first, second = '', third = ''] = cluster.sale.large;
    const one = await cluster.start('all', writeFilesOf('one', { [first]: 100, [second]: 100 }));
    // Started later: all entries that differ are listed again.
    const two = await cluster.start('all', writeFilesOf('two', { [first]: 200, [second]: 200, [third]: null }));
    const nodes = [one, two];
    const key = await keyKnownTo(nodes);
    const priceAt = async (node: ClusterNode, activity: string): Promise<number | undefined> => {
      const query = `activity_id=${activity}&date=${dateAhead(cluster.sale, 5)}`;
      const { status, data } = await call<Prices>(node, `/api/b2a/inventory?${query}`, { headers: key });
      return status === 200 ? data.inventory[0]?.price : undefined;
    };
    const prices = () => Promise.all(nodes.flatMap((node) => [priceAt(node, first), priceAt(node, second)]));
    const holdsEverywhere = (...expected: readonly number[]): Promise<number> =>
      until(`prices are ${expected.join(', ')}`, EVERYWHERE_MS, async () =>
        Bun.deepEquals(await prices(), [...expected, ...expected]),
      );
    const refresh = async (node: ClusterNode): Promise<Refreshed> =>
      (await call<Refreshed>(node, '/api/b2a/inventory/refresh', { headers: key, body: {} })).data;
    await holdsEverywhere(200, 200);
    for (const node of nodes) expect(await priceAt(node, third)).toBeUndefined();

    // The files of the first node have not changed, so it lists nothing.
    expect(await refresh(one)).toMatchObject({ refreshed: true, changed: 0 });
    await holdsEverywhere(200, 200);

    // One entry of its files changes: the node lists only that one.
    writeFilesOf('one', { [first]: 130, [second]: 100 });
    await holdsEverywhere(130, 200);
    expect(await refresh(two)).toMatchObject({ refreshed: true, changed: 0 });
    // A refresh shares the outcome of a check in progress, so the first one may count the listed entry.
    await until('a later check of the first node finds no change', EVERYWHERE_MS, async () =>
      Bun.deepMatch({ refreshed: true, changed: 0 }, await refresh(one)),
    );
    await holdsEverywhere(130, 200);

    // An operator's override precedes both.
    const path = `/api/activities/${first}`;
    const { data } = await call(one, path, { headers: ADMIN });
    const put = await fetch(`${one.url}${path}`, {
      method: 'PUT',
      headers: { ...ADMIN, 'content-type': 'application/json' },
      body: JSON.stringify({ ...data, price: 500 }),
    });
    expect(put.status).toBe(200);
    await holdsEverywhere(500, 200);
    writeFilesOf('two', { [first]: 260, [second]: 210, [third]: null });
    await holdsEverywhere(500, 210);
    const taken = await fetch(`${two.url}${path}`, { method: 'DELETE', headers: ADMIN });
    expect(taken.status).toBe(200);
    await holdsEverywhere(260, 210);

    // Each change is recorded once, with its actor.
    const changes = (await cluster.log()).flatMap(({ stream, type, cause }) =>
      stream === `activity-${first}` ? [`${type} ${cause.by}`] : [],
    );
    expect(changes).toEqual([
      'ActivityListed.v2 catalogue',
      'ActivityUpdated.v2 catalogue',
      'ActivityUpdated.v2 catalogue',
      'ActivityOverridden.v1 admin',
      'ActivityUpdated.v2 catalogue',
      'OverrideWithdrawn.v1 admin',
    ]);
  },
  START_MS * 2,
);
