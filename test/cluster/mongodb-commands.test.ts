import { afterAll, beforeAll, expect, test } from 'bun:test';
import { dateAhead } from '../chaos/kill/catalogue.ts';
import { pause } from '../chaos/kill/real-time.ts';
import type { BookingData } from '../chaos/kill/wire.ts';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { call, type Headers, keyKnownTo, ready, wish } from './client.ts';
import { type Cluster, type ClusterNode, startCluster } from './cluster.ts';

const COUNTING = { BUN_OPTIONS: '--preload=./test/cluster/counting-commands.ts' };
const START_MS = 60_000;
/** The default of LEASE_TTL_MS. */
const LEASE_MS = 10_000;
const BOOKINGS = 60;
/** So many that a batch of events is full on a slow machine too: the commands of few bookings at a time rise with its slowness. */
const AT_ONCE = 30;
/** Nothing but idle work happens for so long before the idle commands are counted. */
const QUIET_MS = 3_000;
const IDLE_MS = 20_000;
/** How often an idle node reads the end of the log. */
const READ_EVERY_MS = 10_000;
/** Three renewals of all leases and looks at the others per lease duration, and checks of clock, health and pointers. */
const MOST_PER_IDLE_MINUTE = 130;
/** About 4 on an idle machine; more on a busy one, whose events come in more batches. */
const MOST_PER_BOOKING = 6.5;

/** A booking counts when it is settled, also on a busy machine. */
const MAIL_WAIT_MS = '30000';

let cluster: Cluster;
let node: ClusterNode;
let headers: Headers;

beforeAll(async () => {
  cluster = await startCluster({ LEASE_TTL_MS: String(LEASE_MS), MAIL_WAIT_MS });
  node = await cluster.start('all', COUNTING);
  await ready(node);
  headers = await keyKnownTo([node]);
}, BUILD_MS + START_MS);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

type Commands = Readonly<Record<string, number>>;

let asked = 0;

/** The commands that the node has made since its start. */
async function commands(): Promise<Commands> {
  process.kill(node.program.pid, 'SIGUSR2');
  const line = await node.program.stdout.line(new RegExp(`^\\{"asked":${++asked},.*`));
  if (line === null) throw new Error('the node has ended');
  return JSON.parse(line[0]).commands;
}

function since(before: Commands, after: Commands): Commands {
  const more = Object.entries(after).map(([kind, count]) => [kind, count - (before[kind] ?? 0)] as const);
  return Object.fromEntries(more.filter(([, count]) => count > 0).toSorted(([, left], [, right]) => right - left));
}

function sum(counts: Commands): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

/** The rate of a share of the commands, and the rates of its kinds. */
function shown(counts: Commands, per: number): string {
  const kinds = Object.entries(counts).map(([kind, count]) => `${kind} ${(count / per).toFixed(2)}`);
  return `${(sum(counts) / per).toFixed(2)} (${kinds.join(', ')})`;
}

async function book(count: number): Promise<void> {
  const [activity] = cluster.sale.large;
  for (let made = 0; made < count; made += AT_ONCE) {
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, at) =>
        call<BookingData>(node, '/api/b2a/execute_booking', {
          headers,
          body: wish(activity, dateAhead(cluster.sale, 1 + (at % 3))),
        }),
      ),
    );
    expect(answers.map(({ status, data }) => [status, data.email_sent])).toEqual(answers.map(() => [200, true]));
  }
}

test(
  'a node without work makes few MongoDB commands',
  async () => {
    await pause(QUIET_MS);
    const before = await commands();
    await pause(IDLE_MS);
    const idle = since(before, await commands());
    process.stdout.write(`MongoDB commands per idle minute: ${shown(idle, IDLE_MS / 60_000)}\n`);
    expect(sum(idle)).toBeLessThanOrEqual((MOST_PER_IDLE_MINUTE * IDLE_MS) / 60_000);
    // All leases in two commands, of at most 50 each, three times per lease duration.
    expect(idle['update _leases']).toBeLessThanOrEqual(2 * ((3 * IDLE_MS) / LEASE_MS + 1));
    expect(idle['findAndModify _leases'] ?? 0).toBe(0);
    // Process managers store their checkpoints once after the last event; the projections pass these events with the next read.
    expect(idle['update _checkpoints'] ?? 0).toBeLessThanOrEqual(IDLE_MS / READ_EVERY_MS);
  },
  START_MS,
);

test(
  'a settled booking makes few MongoDB commands',
  async () => {
    await book(AT_ONCE);
    await pause(QUIET_MS);
    const [before, startedAt] = [await commands(), performance.now()];
    await book(BOOKINGS);
    await pause(QUIET_MS);
    const made = since(before, await commands());
    const tookMs = Math.round(performance.now() - startedAt);
    process.stdout.write(`MongoDB commands per booking: ${shown(made, BOOKINGS)} in ${tookMs} ms\n`);
    expect(sum(made) / BOOKINGS).toBeLessThanOrEqual(MOST_PER_BOOKING);
  },
  START_MS,
);

test(
  'a list of bookings with their guests makes one find of each',
  async () => {
    const before = await commands();
    const { status, data } = await call<{ items: readonly object[] }>(node, '/api/b2a/bookings?limit=100', { headers });
    const made = since(before, await commands());
    expect([status, data.items.length]).toEqual([200, AT_ONCE + BOOKINGS]);
    const lists = Object.entries(made).filter(([kind]) => /^find (?:bookings|guests)\./.test(kind));
    expect(lists.map(([, count]) => count)).toEqual([1, 1]);
  },
  START_MS,
);
