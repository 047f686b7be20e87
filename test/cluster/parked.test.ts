import { afterAll, beforeAll, expect, test } from 'bun:test';
import { bookingCodec } from '../../src/domain/booking/events.ts';
import { dateAhead } from '../chaos/kill/catalogue.ts';
import type { BookingData } from '../chaos/kill/wire.ts';
import { connected } from '../contract/event-store/remote.ts';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { runProgram } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { ADMIN, call, keyKnownTo, listedBookings, ready, until, wish } from './client.ts';
import { ADMIN_TOKEN, type Cluster, type ClusterNode, startCluster } from './cluster.ts';
import { rebuildFaults } from './rebuilds.ts';

const START_MS = 60_000;
const SETTLED_MS = 30_000;
const CONFIRMED = `BookingConfirmed.v${bookingCodec.versions['BookingConfirmed']}`;
/** Folds BookingConfirmed, and cannot fold it without its facts. */
const REAPER = 'claim-reaper';

type Item = { readonly reader: string; readonly item: string; readonly status: string };

let cluster: Cluster;
let nodes: ClusterNode[];

beforeAll(async () => {
  cluster = await startCluster();
  nodes = [await cluster.start('all'), await cluster.start('all')];
}, BUILD_MS + START_MS);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

function node(index: number): ClusterNode {
  const found = nodes[index];
  if (found === undefined) throw new Error(`there is no node ${index}`);
  return found;
}

async function parkedAt(at: ClusterNode): Promise<readonly Item[]> {
  const { data } = await call<{ items: readonly Item[] }>(at, '/api/ops/readers/parked', { headers: ADMIN });
  return data.items.map(({ reader, item, status }) => ({ reader, item, status }));
}

/** Parked items by the log: `reader item`. */
async function parkedInLog(): Promise<readonly string[]> {
  const parked = (await cluster.log()).filter(({ type }) => type.startsWith('EventParked.'));
  return parked.map(({ stream, data }) => `${stream} ${(data as { id: string }).id}`);
}

/** Another program appends an event like Waymark's, without its data. */
async function poison(): Promise<string> {
  const id = crypto.randomUUID();
  const cause = { correlationId: 'other', causationId: null, by: 'other', at: new Date().toISOString() };
  const store = connected(cluster.events.url);
  try {
    const last = await store.last('booking-0');
    await store.append('booking-0', last?.revision ?? -1, [{ id, type: CONFIRMED, data: {}, cause }]);
  } finally {
    await store.close();
  }
  return id;
}

async function command(...args: readonly string[]): Promise<string> {
  using directory = temporaryDirectory();
  const settings = { DATA_DIR: directory.path, WAYMARK_URL: node(1).url, WAYMARK_ADMIN_TOKEN: ADMIN_TOKEN };
  const ended = await runProgram(['readers', 'parked', ...args], settings);
  if (ended.exitCode !== 0) throw new Error(ended.stderr);
  return ended.stdout;
}

test(
  'an event that no reader can apply is parked once on all nodes, survives a kill and an outage, and is decided by the command',
  async () => {
    const headers = await keyKnownTo(nodes);
    const book = async (at: ClusterNode): Promise<string> => {
      const body = wish(cluster.sale.large[0] ?? '', dateAhead(cluster.sale, 1));
      const { data } = await call<BookingData>(at, '/api/b2a/execute_booking', { headers, body });
      return data.booking_id;
    };
    const listed = (at: ClusterNode, id: string): Promise<number> =>
      until(`the booking ${id} is listed`, SETTLED_MS, async () => (await listedBookings(at, headers)).includes(id));

    const first = await poison();
    const booked = await book(node(0));
    for (const each of nodes) await listed(each, booked);
    await until('the reaper has parked the event', SETTLED_MS, async () =>
      (await parkedAt(node(0))).some(({ reader, item }) => reader === REAPER && item === first),
    );
    expect(await parkedAt(node(1))).toEqual(await parkedAt(node(0)));
    const items = await parkedInLog();
    expect(new Set(items).size).toBe(items.length);

    // The other node takes the readers over, and parks nothing again.
    await node(0).program.kill();
    nodes[0] = await cluster.start('all');
    await listed(node(1), await book(node(1)));
    expect(await parkedInLog()).toEqual(items);

    await cluster.events.kill();
    await cluster.events.restart();
    for (const each of nodes) await ready(each);
    await listed(node(1), await book(node(1)));
    expect(await parkedInLog()).toEqual(items);
    expect(await rebuildFaults(node(1))).toEqual([]);

    expect(await command('list')).toContain(REAPER);
    for (const { reader, item } of await parkedAt(node(1)))
      await command('skip', '--reader', reader, '--item', item, '--reason', 'not ours', '--operator', 'mai');
    expect(await command('list')).toContain('No reader left anything out.');
    expect(await command('list', '--all')).toContain('not ours');
    const statuses = (await parkedAt(node(0))).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set(['skipped']));
    expect(await rebuildFaults(node(0))).toEqual([]);
  },
  START_MS * 3,
);
