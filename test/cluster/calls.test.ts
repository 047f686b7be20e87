import { afterAll, beforeAll, expect, test } from 'bun:test';
import { dateAhead } from '../chaos/kill/catalogue.ts';
import type { BookingData } from '../chaos/kill/wire.ts';
import type { ServerCalls } from '../support/eventstoredb-peer.ts';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { call, type Headers, keyKnownTo, ready, until, wish } from './client.ts';
import { type Cluster, type ClusterNode, startCluster } from './cluster.ts';

const START_MS = 60_000;
const SETTLED_MS = 30_000;
const BOOKINGS = 60;
const AT_ONCE = 6;
/** Claim, guest, confirmation and mail. */
const APPENDS = 4;
/** More calls per booking, on average: a conflict, a mail that is sent late, the settings of the key. */
const EXCEPTIONS = 0.1;
/** At intervals, not per booking: the head of the log, requested rebuilds, and the checkpoint of each process manager. */
const BY_TIME = ['$all', '$$checkpoint', 'checkpoint', 'projection'];
/** Nothing was appended for so long: what follows from the bookings is done. */
const QUIET_MS = 1_500;

let cluster: Cluster;
let node: ClusterNode;
let headers: Headers;

beforeAll(async () => {
  // A booking counts when it is settled, also on a busy machine.
  cluster = await startCluster({ MAIL_WAIT_MS: '30000' });
  node = await cluster.start('all');
  await ready(node);
  headers = await keyKnownTo([node]);
}, BUILD_MS + START_MS);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

type ByCategory = Readonly<Record<string, number>>;
type Calls = { readonly appends: ByCategory; readonly reads: ByCategory };

/** The calls between the two counts, without those by time. */
function since(before: ServerCalls, after: ServerCalls): Calls {
  const growth = (earlier: ByCategory, later: ByCategory): ByCategory =>
    Object.fromEntries(
      Object.entries(later).flatMap(([category, count]) => {
        const more = count - (earlier[category] ?? 0);
        return more > 0 && !BY_TIME.includes(category) ? [[category, more]] : [];
      }),
    );
  return {
    appends: growth(before.counts.appends, after.counts.appends),
    reads: growth(before.counts.reads, after.counts.reads),
  };
}

function sum(counts: ByCategory): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

/** Resolves when nothing has been appended for a while. */
async function quiet(): Promise<ServerCalls> {
  let last = await cluster.events.calls();
  let lastMs = performance.now();
  await until('nothing is appended any more', SETTLED_MS, async () => {
    const now = await cluster.events.calls();
    if (sum(now.counts.appends) !== sum(last.counts.appends)) lastMs = performance.now();
    last = now;
    return performance.now() - lastMs >= QUIET_MS;
  });
  return last;
}

/** The first date that no booking has opened yet, in days from today. */
let nextDate = 1;

/** Books two at once on each of three new dates, then on the next three. Every voucher is mailed before the answer. */
async function book(count: number, keyOf: (n: number) => Headers): Promise<void> {
  const [activity] = cluster.sale.large;
  for (let made = 0; made < count; made += AT_ONCE) {
    const first = nextDate;
    nextDate += 3;
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, at) =>
        call<BookingData>(node, '/api/b2a/execute_booking', {
          headers: { ...headers, ...keyOf(made + at) },
          body: wish(activity, dateAhead(cluster.sale, first + (at % 3))),
        }),
      ),
    );
    const seen = answers.map(({ status, data }) => [status, data.status, data.email_sent]);
    expect(seen).toEqual(answers.map(() => [200, 'confirmed', true]));
  }
}

function perBooking(counts: ByCategory): string {
  const parts = Object.entries(counts).map(([category, count]) => `${category} ${(count / BOOKINGS).toFixed(2)}`);
  return `${(sum(counts) / BOOKINGS).toFixed(2)} (${parts.join(', ')})`;
}

test.each([
  // The guest, for the mail.
  ['without an Idempotency-Key', 1, () => ({})],
  // And an earlier booking under the key.
  ['with an Idempotency-Key', 2, (n: number) => ({ 'idempotency-key': `counted-${n}` })],
] as const)(
  'a booking whose voucher is mailed, %s, makes few appends and stream reads',
  async (how, mostReads, keyOf) => {
    const before = await quiet();
    await book(BOOKINGS, keyOf);
    const calls = since(before, await quiet());
    process.stdout.write(
      `per booking ${how}: appends ${perBooking(calls.appends)}; stream reads ${perBooking(calls.reads)}\n`,
    );
    expect(sum(calls.appends) / BOOKINGS).toBeLessThanOrEqual(APPENDS + EXCEPTIONS);
    expect(sum(calls.reads) / BOOKINGS).toBeLessThanOrEqual(mostReads + EXCEPTIONS);
  },
  START_MS,
);

test(
  'a list of 100 bookings with their guests reads no stream',
  async () => {
    await book(BOOKINGS, () => ({}));
    const before = await quiet();
    for (const filter of ['', `&from=${dateAhead(cluster.sale, 1)}&to=${dateAhead(cluster.sale, 30)}`]) {
      const { status, data } = await call<{ items: readonly { user_name: string }[] }>(
        node,
        `/api/b2a/bookings?limit=100${filter}`,
        { headers },
      );
      expect(status).toBe(200);
      expect(data.items.filter((item) => !item.user_name.startsWith('Ada '))).toEqual([]);
      expect(data.items.length).toBeGreaterThanOrEqual(BOOKINGS);
    }
    const { reads } = since(before, await cluster.events.calls());
    expect({ booking: 0, guest: 0, ...reads }).toEqual({ booking: 0, guest: 0 });
  },
  START_MS,
);
