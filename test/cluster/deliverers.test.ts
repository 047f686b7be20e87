import { afterAll, beforeAll, expect, test } from 'bun:test';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { type MongoStores, openMongoStores } from '../../src/app/mongo-stores.ts';
import { PARTITIONS } from '../../src/processes/deliver-webhooks/endpoint-queues.ts';
import { mongoAddress } from '../contract/mongodb/servers.ts';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { openReceiver, type Receiver } from '../support/receiver.ts';
import { call, keyKnownTo, until, wish } from './client.ts';
import { type Cluster, type ClusterNode, LEASE_MS, startCluster } from './cluster.ts';

/** Maximum time until others take over: the lease, the allowed clock skew, two polls, and the start of the work. */
const REPLACED_MS = LEASE_MS + 2_000 + (2 * LEASE_MS) / 3 + 10_000;
const START_MS = 60_000;
const RECEIVERS = 24;
const ROUNDS = 2;

let cluster: Cluster;
let stores: MongoStores;
let api: ClusterNode;
let deliverers: ClusterNode[];

beforeAll(async () => {
  cluster = await startCluster();
  stores = await openMongoStores(mongoAddress(cluster.documents.url), systemClock);
  await cluster.start('projector');
  deliverers = await Promise.all([1, 2, 3].map(() => cluster.start('deliverer')));
  api = await cluster.start('api');
}, BUILD_MS + START_MS);
afterAll(async () => {
  await stores?.close();
  await cluster?.[Symbol.asyncDispose]();
});

/** The number of partitions of each node, ascending. */
async function partitionCounts(): Promise<readonly number[]> {
  const names = Array.from({ length: PARTITIONS }, (_, partition) => `webhook-deliverer-${partition}`);
  const held = await stores.leases.held(names);
  return [...Map.groupBy(held, ({ holder }) => holder).values()]
    .map(({ length }) => length)
    .sort((left, right) => left - right);
}

/** The deliveries whose attempts a node has logged, which it does once they are recorded. */
function attemptedBy({ program }: ClusterNode): readonly string[] {
  return program.stdout.lines.flatMap(
    (line) => /"delivery":"([^"]+)".*"msg":"webhook attempted"/.exec(line)?.[1] ?? [],
  );
}

/** Books with each key. @returns the number of public events: each booking is confirmed, and its voucher delivered */
async function book(keys: readonly Readonly<Record<string, string>>[]): Promise<number> {
  const [activity] = cluster.sale.large;
  for (let round = 0; round < ROUNDS; round++) {
    const answers = await Promise.all(
      keys.map((headers) =>
        call(api, '/api/b2a/execute_booking', { headers, body: wish(activity, cluster.sale.today) }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200));
  }
  return keys.length * ROUNDS * 2;
}

function keysFor(receiver: Receiver): Promise<readonly Readonly<Record<string, string>>[]> {
  const urls = Array.from({ length: RECEIVERS }, (_, at) => `${receiver.url}/${at}`);
  return Promise.all(urls.map((webhook_url) => keyKnownTo([api], { webhook_url })));
}

const deliveriesIn = ({ received }: Receiver) =>
  received.map(({ headers }) => headers.get('x-service-delivery-id') ?? '');
const eventsIn = ({ received }: Receiver) => new Set(received.map(({ headers }) => headers.get('webhook-id')));

test(
  'three deliverers share the partitions evenly, and each event is sent once',
  async () => {
    await until('the partitions are shared', REPLACED_MS, async () => (await partitionCounts()).join() === '5,5,6');
    await using receiver = openReceiver();
    const events = await book(await keysFor(receiver));
    await until('every event has arrived', REPLACED_MS, async () => eventsIn(receiver).size === events);
    expect(deliveriesIn(receiver)).toHaveLength(events);
    await until(
      'every attempt is recorded',
      REPLACED_MS,
      async () => deliverers.flatMap(attemptedBy).length === events,
    );
    const each = deliverers.map((node) => attemptedBy(node).length);
    process.stdout.write(`of ${events} deliveries the nodes made ${each.join(', ')}\n`);
    expect(each.every((count) => count > 0)).toBe(true);
  },
  START_MS,
);

test(
  'when one is killed, the others take its partitions and repeat at most the attempts in flight',
  async () => {
    await using receiver = openReceiver();
    // Each receiver has one attempt in flight until a node is killed.
    const gone = Promise.withResolvers<void>();
    receiver.answer(() => gone.promise.then(() => new Response('ok')));
    const keys = await keysFor(receiver);
    const [victim, ...others] = deliverers;
    if (victim === undefined) throw new Error('there is no deliverer');
    const before = new Set(deliverers.flatMap(attemptedBy));
    const booking = book(keys);
    await receiver.arrived(RECEIVERS);
    await victim.program.kill();
    const killedAtMs = performance.now();
    const arrivedBefore = new Set(deliveriesIn(receiver));
    gone.resolve();
    const events = await booking;
    await until('every event has arrived', REPLACED_MS * 2, async () => eventsIn(receiver).size === events);
    process.stdout.write(`the last event arrived ${Math.round(performance.now() - killedAtMs)} ms after the kill\n`);
    await until('every attempt is recorded', REPLACED_MS, async () => {
      const recorded = new Set([victim, ...others].flatMap(attemptedBy).filter((delivery) => !before.has(delivery)));
      return recorded.size >= new Set(deliveriesIn(receiver)).size;
    });
    const counts = Map.groupBy(deliveriesIn(receiver), (delivery) => delivery);
    const repeated = [...counts].filter(([, arrivals]) => arrivals.length > 1).map(([delivery]) => delivery);
    process.stdout.write(`${repeated.length} of ${events} deliveries arrived twice\n`);
    // One delivery per event: every node gives it the same id.
    expect(counts.size).toBe(events);
    expect([...counts].filter(([, arrivals]) => arrivals.length > 2)).toEqual([]);
    // Only attempts in flight at the kill: they had arrived, and the killed node had not recorded their outcome.
    const recorded = new Set(attemptedBy(victim));
    expect(repeated.filter((delivery) => recorded.has(delivery) || !arrivedBefore.has(delivery))).toEqual([]);
    expect(repeated.length).toBeGreaterThan(0);
    await until('the others share its partitions', REPLACED_MS, async () => (await partitionCounts()).join() === '8,8');
  },
  START_MS + REPLACED_MS * 4,
);
