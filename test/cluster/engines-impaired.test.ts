import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditLog } from '../chaos/kill/audit.ts';
import { dateAhead } from '../chaos/kill/catalogue.ts';
import { readHistory } from '../chaos/kill/history.ts';
import { pause } from '../chaos/kill/real-time.ts';
import type { BookingData, Wish } from '../chaos/kill/wire.ts';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { call, keyKnownTo, until, wish } from './client.ts';
import { type Cluster, type ClusterNode, startCluster } from './cluster.ts';

const START_MS = 120_000;
/** A read on a busy machine must fit. */
const RESPONSE_MS = 4_000;
/** Maximum time past the deadline: the step in progress, on a busy machine. */
const MARGIN_MS = 2_500;
const SLOW_MS = 6_000;
const RECOVERED_MS = 10_000;
const CLIENTS = 6;

let cluster: Cluster;
let node: ClusterNode;
let headers: Readonly<Record<string, string>>;

beforeAll(async () => {
  cluster = await startCluster();
  node = await cluster.start('all', { RESPONSE_DEADLINE_MS: String(RESPONSE_MS) });
  headers = await keyKnownTo([node]);
}, BUILD_MS + START_MS);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

let asked = 0;
type Asked = { readonly key: string; readonly body: Wish };

async function ask({ key, body }: Asked) {
  const sent = { ...headers, 'idempotency-key': key };
  const startedAt = performance.now();
  const booked = await call<BookingData>(node, '/api/b2a/execute_booking', { headers: sent, body });
  return { ...booked, tookMs: performance.now() - startedAt };
}

function another(): Asked {
  const { large } = cluster.sale;
  const body = wish(large[++asked % large.length] ?? '', dateAhead(cluster.sale, asked % 3));
  return { key: `unwell ${asked}`, body };
}

async function booksAgain(): Promise<boolean> {
  return (await ask(another())).status === 200;
}

async function lists(): Promise<number> {
  return (await call(node, '/api/b2a/bookings?limit=1', { headers })).status;
}

describe('an event store', () => {
  test.each([
    ['that refuses appends, as with a full disk', () => cluster.events.refuseAppends()],
    ['that answers appends after the deadline', () => cluster.events.delayAppends(SLOW_MS)],
  ])(
    '%s: bookings are answered 503 in time, reads work, and nothing is half done',
    async (_, impair) => {
      const [known] = [await ask(another())];
      expect(known.status).toBe(200);
      await impair();
      const wishes = Array.from({ length: CLIENTS }, another);
      const answers = await Promise.all(wishes.map(ask));
      expect(answers.map(({ status, code, retryAfter }) => [status, code, retryAfter])).toEqual(
        answers.map(() => [503, 'SERVICE_UNAVAILABLE', '1']),
      );
      expect(Math.max(...answers.map(({ tookMs }) => tookMs))).toBeLessThan(RESPONSE_MS + MARGIN_MS);
      const read = await call<BookingData>(node, `/api/b2a/bookings/${known.data.booking_id}`, { headers });
      expect([read.status, read.code, read.data?.voucher, await lists()]).toEqual([200, '', known.data.voucher, 200]);
      await cluster.events.mend();
      await until('bookings are made again', RECOVERED_MS, booksAgain);
      // Each booking that was answered 503 is made once under its key.
      const made = new Set<string>();
      for (const one of wishes)
        await until('the booking is made', RECOVERED_MS, async () => {
          const { status, data } = await ask(one);
          if (status === 200) made.add(data.booking_id);
          return status === 200;
        });
      const history = readHistory(await cluster.log());
      expect([made.size, auditLog(history)]).toEqual([CLIENTS, []]);
      const guests = wishes.map(({ body }) => body.user_email);
      const recorded = [...history.guests.values()].map(({ email }) => email);
      expect(guests.filter((email) => !recorded.includes(email))).toEqual([]);
    },
    START_MS,
  );
});

test(
  'with a full disk of the read models, bookings are made, and the lists follow when there is space again',
  async () => {
    type Listed = { readonly items: readonly { readonly booking_id: string }[] };
    const counted = await keyKnownTo([node], { plan: 'premium' });
    const listed = async (id: string): Promise<boolean> => {
      const { data } = await call<Listed>(node, '/api/b2a/bookings?limit=50', { headers });
      return data.items.some(({ booking_id: each }) => each === id);
    };
    await cluster.documents.fill();
    const made = await ask(another());
    expect([made.status, await lists()]).toEqual([200, 200]);
    // A plan with limits must count the request, which fails.
    expect(await call(node, '/api/b2a/bookings', { headers: counted })).toMatchObject({
      status: 503,
      code: 'SERVICE_UNAVAILABLE',
      retryAfter: '1',
    });
    await pause(SLOW_MS);
    expect(await listed(made.data.booking_id)).toBe(false);
    await cluster.documents.empty();
    await until('it is listed', RECOVERED_MS, () => listed(made.data.booking_id));
    await until('requests are counted again', RECOVERED_MS, async () => {
      return (await call(node, '/api/b2a/bookings', { headers: counted })).status === 200;
    });
  },
  START_MS,
);
