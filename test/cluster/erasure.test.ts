import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { dateAhead } from '../chaos/kill/catalogue.ts';
import { pause } from '../chaos/kill/real-time.ts';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { ADMIN, call, type Headers, keyKnownTo, ready, until, wish } from './client.ts';
import { type Cluster, type ClusterNode, startCluster } from './cluster.ts';

const START_MS = 120_000;
/** The row of the guest is gone within this time of the answer to the erasure. */
const GONE_MS = 5_000;
const COMPLETE_MS = 60_000;
/** Long enough for a request to arrive, and too short for its answer. */
const LATER_MS = 5;
/** Requests that book while a guest is erased. */
const CLIENTS = 4;
/** What the erased guests are found by; no other text has it. */
const MARKER = 'Xylophage';

let cluster: Cluster;
let nodes: [ClusterNode, ClusterNode];
let key: Headers;
beforeAll(
  async () => {
    cluster = await startCluster();
    nodes = [await cluster.start('all'), await cluster.start('all')];
    await Promise.all(nodes.map((node) => ready(node, START_MS)));
    key = await keyKnownTo(nodes);
  },
  BUILD_MS + 2 * START_MS,
);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

type Booked = { readonly booking_id: string };

async function bookFor(node: ClusterNode, more: object): Promise<string> {
  const body = { ...wish(cluster.sale.large[0], dateAhead(cluster.sale, 3)), ...more };
  const answer = await call<Booked>(node, '/api/b2a/execute_booking', { headers: key, body });
  if (answer.status !== 200) throw new Error(`execute_booking: ${answer.status} ${answer.code}`);
  return answer.data.booking_id;
}

/** Books with several clients until the returned function is called, which says how often. */
function load(): () => Promise<number> {
  let booked = 0;
  let over = false;
  const clients = Array.from({ length: CLIENTS }, async (_, index) => {
    while (!over) {
      await bookFor(nodes[index % 2] ?? nodes[0], {});
      booked++;
    }
  });
  return async () => {
    over = true;
    await Promise.all(clients);
    return booked;
  };
}

async function foundOn(node: ClusterNode): Promise<number> {
  const answer = await call<{ items: readonly object[] }>(node, `/api/bookings?guest=${MARKER}`, { headers: ADMIN });
  if (answer.status !== 200) throw new Error(`search: ${answer.status} ${answer.code}`);
  return answer.data.items.length;
}

/** The collections of the service's database that hold the marker in a document. */
async function collectionsHolding(client: MongoClient): Promise<readonly string[]> {
  const holding: string[] = [];
  for (const { name: database } of (await client.db().admin().listDatabases()).databases)
    for (const { name } of await client.db(database).listCollections({}, { nameOnly: true }).toArray()) {
      const documents = await client.db(database).collection(name).find().toArray();
      if (JSON.stringify(documents).includes(MARKER)) holding.push(name);
    }
  return holding;
}

/** Frees the bytes of deleted documents, as docs/data-protection.md says. */
async function compactGuests(client: MongoClient): Promise<void> {
  for (const { name: database } of (await client.db().admin().listDatabases()).databases)
    for (const { name } of await client.db(database).listCollections({}, { nameOnly: true }).toArray())
      if (name.startsWith('guests.')) await client.db(database).command({ compact: name, force: true });
}

const erasureOf = (node: ClusterNode, id: string) =>
  call<{ readonly complete: boolean }>(node, `/api/bookings/${id}/erasure`, { headers: ADMIN });

test(
  'an erased guest is gone from every list within five seconds of busy nodes, also if the node is killed meanwhile, and after the documented steps no byte is left',
  async () => {
    const [killed, other] = nodes;
    const personal = {
      user_name: `Ada ${MARKER}`,
      user_email: `${MARKER}@example.com`,
      special_requests: `A table for ${MARKER}.`,
      reference: `trip-${MARKER}`,
      metadata: { room: MARKER },
    };
    const stop = load();
    const [first, second] = [await bookFor(killed, personal), await bookFor(other, personal)];
    await until('both bookings are found', COMPLETE_MS, async () => (await foundOn(other)) === 2);

    expect((await call(killed, `/api/bookings/${first}/erase`, { headers: ADMIN, body: {} })).status).toBe(200);
    const answeredMs = performance.now();
    await until('the first guest is gone on both nodes', GONE_MS, async () => {
      return (await foundOn(killed)) === 1 && (await foundOn(other)) === 1;
    });
    process.stdout.write(`gone ${Math.round(performance.now() - answeredMs)} ms after the answer\n`);
    process.stdout.write(`bookings beside the erasure: ${await stop()}\n`);

    const unanswered = call(killed, `/api/bookings/${second}/erase`, { headers: ADMIN, body: {} }).catch(() => null);
    await pause(LATER_MS);
    await killed.program.kill();
    await unanswered;
    expect((await call(other, `/api/bookings/${second}/erase`, { headers: ADMIN, body: {} })).status).toBe(200);
    for (const id of [first, second])
      await until(
        `the erasure of ${id} is complete`,
        COMPLETE_MS,
        async () => (await erasureOf(other, id)).data.complete,
      );
    expect(await foundOn(other)).toBe(0);
    await until('a rebuild of the guests starts', COMPLETE_MS, async () => {
      return (await call(other, '/api/ops/projections/guests/rebuild', { headers: ADMIN, body: {} })).status === 200;
    });
    await until('nothing holds the guest, the new build included', COMPLETE_MS, async () => {
      type Status = { readonly name: string; readonly rebuild: object | null; readonly last_rebuild: object | null };
      const { data } = await call<{ items: readonly Status[] }>(other, '/api/ops/projections', { headers: ADMIN });
      const guests = data.items.find(({ name }) => name === 'guests');
      return guests?.rebuild === null && guests.last_rebuild !== null;
    });
    expect(await foundOn(other)).toBe(0);
    const client = new MongoClient(cluster.documents.url);
    try {
      expect(await collectionsHolding(client)).toEqual([]);
      await compactGuests(client);
    } finally {
      await client.close();
    }
    // Until the scavenge a tombstoned stream is still in the file.
    expect(readFileSync(cluster.events.data, 'latin1').includes(MARKER)).toBe(true);
    await cluster.events.scavenge();
    const files = [
      cluster.events.data,
      ...readdirSync(cluster.documents.directory)
        .filter((name) => !name.endsWith('.sock'))
        .map((name) => join(cluster.documents.directory, name)),
    ];
    expect(files.length).toBeGreaterThan(1);
    // The peer's database copies its write-ahead log into the file when no reader needs the old pages.
    await until('no file holds the guest', COMPLETE_MS, async () =>
      files.every((file) => !readFileSync(file, 'latin1').includes(MARKER)),
    );
  },
  3 * COMPLETE_MS,
);
