import { afterAll, beforeAll, expect, test } from 'bun:test';
import { auditLog } from '../chaos/kill/audit.ts';
import { dateAhead } from '../chaos/kill/catalogue.ts';
import { readHistory } from '../chaos/kill/history.ts';
import { pause } from '../chaos/kill/real-time.ts';
import type { BookingData } from '../chaos/kill/wire.ts';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { openReceiver } from '../support/receiver.ts';
import { call, keyKnownTo, until, wish } from './client.ts';
import { type Cluster, type ClusterNode, startCluster } from './cluster.ts';
import { rebuildFaults } from './rebuilds.ts';

const START_MS = 120_000;
const SETTLED_MS = 60_000;
const CLIENTS = 4;
const LOAD_MS = 1_000;
const RETRY_MS = 50;
/** booking_confirmed and voucher_delivered. */
const EVENTS_EACH = 2;
const BOOKED_BEFORE = 20;
const PREMIUM_A_DAY = 10_000;

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
  const found = nodes[index % nodes.length];
  if (found === undefined) throw new Error('there are no nodes');
  return found;
}

function byText(left: string, right: string): number {
  return left < right ? -1 : 1;
}

/** Requests that the key's plan has left today, after this one. */
async function leftToday(headers: Readonly<Record<string, string>>): Promise<number> {
  const { headers: answer } = await fetch(`${node(0).url}/api/b2a/bookings?limit=1`, { headers });
  return Number(/"day";r=(\d+)/.exec(answer.get('ratelimit') ?? '')?.[1]);
}

test(
  'MongoDB loses all data under load: every read model is rebuilt from the events, and nothing is sold, notified or mailed again',
  async () => {
    await using receiver = openReceiver();
    const headers = await keyKnownTo(nodes, { webhook_url: receiver.url });
    const premium = await keyKnownTo(nodes, { plan: 'premium' });
    const booked = new Map<string, BookingData>();
    const unexpected = new Set<string>();
    let asked = 0;
    const book = async (): Promise<void> => {
      const { large } = cluster.sale;
      const body = wish(large[++asked % large.length] ?? '', dateAhead(cluster.sale, asked % 3));
      const answer = await call<BookingData>(node(asked), '/api/b2a/execute_booking', { headers, body });
      if (answer.status === 200) booked.set(answer.data.booking_id, answer.data);
      else unexpected.add(`${answer.status} ${answer.code}`);
      if (answer.status !== 200) await pause(RETRY_MS);
    };
    const settled = (): Promise<number> =>
      until('every booking is listed, mailed and notified', SETTLED_MS, async () => {
        const listed = await Promise.all([0, 1].map((index) => listedAt(node(index), headers)));
        const missing = [
          ...listed.map((ids, index) => [
            `lists of node ${index}`,
            [...booked.keys()].filter((id) => !ids.has(id)).length,
          ]),
          ['mails', booked.size - cluster.mails.arrived.length],
          ['deliveries', booked.size * EVENTS_EACH - receiver.received.length],
        ].filter(([, count]) => Number(count) > 0);
        return missing.length === 0 || `missing of ${booked.size} bookings: ${missing.join('; ')}`;
      });
    for (let index = 0; index < BOOKED_BEFORE; index++) await book();
    await settled();
    await until('every mail is on record', SETTLED_MS, async () => {
      const { bookings } = readHistory(await cluster.log());
      return [...bookings.values()].filter(({ mailedAt }) => mailedAt.length === 1).length === BOOKED_BEFORE;
    });
    const mailed = () => cluster.mails.arrived.map(({ mail }) => mail.messageId ?? '');
    const notified = () => receiver.received.map(({ headers: sent }) => sent.get('webhook-id') ?? '');
    const before = { mailed: mailed().toSorted(byText), notified: notified().toSorted(byText) };
    await leftToday(premium);
    expect(await leftToday(premium)).toBe(PREMIUM_A_DAY - 2);

    let stopped = false;
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (!stopped) await book();
    });
    await pause(LOAD_MS);
    await cluster.documents.lose();
    await cluster.migrate();
    await pause(LOAD_MS);
    stopped = true;
    await Promise.all(clients);
    const tookMs = await settled();
    process.stdout.write(`every list is complete ${tookMs} ms after the last of ${booked.size} bookings\n`);

    expect([...unexpected].filter((answer) => answer !== '503 SERVICE_UNAVAILABLE')).toEqual([]);
    expect(await rebuildFaults(node(0))).toEqual([]);
    // Counters are not in the log: they start again.
    expect(await leftToday(premium)).toBe(PREMIUM_A_DAY - 1);
    const history = readHistory(await cluster.log());
    expect(auditLog(history)).toEqual([]);
    const confirmed = [...history.bookings.values()];
    expect(confirmed.filter(({ mailedAt }) => mailedAt.length !== 1)).toEqual([]);
    // Nothing sent before the loss is sent again. An attempt in flight on a node that has lost its lease may be repeated,
    // under the same id.
    const ofBefore = (now: readonly string[], then: readonly string[]): string[] =>
      now.filter((id) => then.includes(id)).toSorted(byText);
    expect(ofBefore(mailed(), before.mailed)).toEqual(before.mailed);
    expect(ofBefore(notified(), before.notified)).toEqual(before.notified);
    expect(new Set(mailed()).size).toBe(confirmed.length);
    expect(new Set(notified()).size).toBe(confirmed.length * EVENTS_EACH);
  },
  START_MS * 2,
);

/** Every booking of a key, page by page. */
async function listedAt(at: ClusterNode, headers: Readonly<Record<string, string>>): Promise<ReadonlySet<string>> {
  type Page = { readonly items: readonly { readonly booking_id: string }[]; readonly next_cursor: string | null };
  const ids = new Set<string>();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { data } = await call<Page>(at, `/api/b2a/bookings?limit=100${after}`, { headers });
    for (const { booking_id: id } of data.items) ids.add(id);
    cursor = data.next_cursor;
  }
  return ids;
}
