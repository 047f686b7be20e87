import { afterAll, beforeAll, expect, test } from 'bun:test';
import { pause } from '../chaos/kill/real-time.ts';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { ADMIN, type Answer, call, freeSlots, type Headers, keyKnownTo, until } from './client.ts';
import { type Cluster, type ClusterNode, startCluster } from './cluster.ts';

const START_MS = 60_000;
const TEST_MS = 120_000;
const DAY_MS = 24 * 60 * 60_000;
/** A request that reaches none of them is repeated. */
const DECIDED: ReadonlySet<number> = new Set([200, 409]);

let cluster: Cluster;
let apis: [ClusterNode, ClusterNode];

beforeAll(async () => {
  cluster = await startCluster({});
  apis = await Promise.all([cluster.start('api'), cluster.start('api')]);
  await Promise.all([cluster.start('projector'), cluster.start('deliverer')]);
}, BUILD_MS + START_MS);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

/** A week ahead, plus some days: cancellation is free. */
function dateAfter(days: number): string {
  return new Date(Date.parse(cluster.sale.today) + (7 + days) * DAY_MS).toISOString().slice(0, 10);
}

/** Sends 64 requests at once to both nodes, each until it is decided. @returns how many ended with each code */
async function sent(path: string, headers: Headers, bodyOf: (n: number) => object): Promise<Record<string, number>> {
  const decided = async (_: unknown, n: number): Promise<string> => {
    for (;;) {
      const node = apis[n % 2] ?? apis[0];
      const sending = { headers: { ...headers, 'idempotency-key': `request ${n}` }, body: bodyOf(n) };
      const answer: Answer | null = await call(node, path, sending).catch(() => null);
      if (answer !== null && DECIDED.has(answer.status) && answer.code !== 'IDEMPOTENCY_IN_PROGRESS')
        return answer.code || 'ok';
      await pause(100);
    }
  };
  const codes = await Promise.all(Array.from({ length: 64 }, decided));
  const counted: Record<string, number> = {};
  for (const code of codes) counted[code] = (counted[code] ?? 0) + 1;
  return counted;
}

test(
  'of 64 bookings at once on two nodes exactly those are made that refundable_guests allows',
  async () => {
    const headers = await keyKnownTo(apis, { plan: 'premium', limits: { refundable_guests: 20 } });
    const guest = { user_name: 'Ada Lovelace', user_email: 'ada@example.com' };
    const wish = { activity_id: cluster.sale.large[0], num_adults: 1, ...guest };
    const booked = await sent('/api/b2a/execute_booking', headers, (n) => ({
      ...wish,
      booking_date: dateAfter(n % 4),
    }));
    expect(booked).toEqual({ ok: 20, EXPOSURE_LIMIT: 44 });
  },
  TEST_MS,
);

test(
  'of 64 holds at once on two nodes exactly those are made that the limits allow',
  async () => {
    const hold = { activity_id: cluster.sale.large[0], num_adults: 1 };
    const few = await keyKnownTo(apis, { plan: 'premium', limits: { open_holds: 7 } });
    const overDates = await sent('/api/b2a/holds', few, (n) => ({ ...hold, booking_date: dateAfter(n % 4) }));
    expect(overDates).toEqual({ ok: 7, EXPOSURE_LIMIT: 57 });
    const shared = await keyKnownTo(apis, { limits: { unpaid_share: 0 } });
    const onOneDate = await sent('/api/b2a/holds', shared, () => ({ ...hold, booking_date: dateAfter(9) }));
    expect(onOneDate).toEqual({ ok: 4, EXPOSURE_LIMIT: 60 });
  },
  TEST_MS,
);

test(
  'the holds of a deactivated key are released within 5 s',
  async () => {
    const [node] = apis;
    const activity = cluster.sale.large[0] ?? '';
    const date = dateAfter(12);
    const reader = await keyKnownTo(apis);
    const headers = await keyKnownTo(apis);
    const free = () => freeSlots(node, reader, activity, date);
    const before = (await free()) ?? 0;
    await call(node, '/api/b2a/holds', { headers, body: { activity_id: activity, num_adults: 9, booking_date: date } });
    await until('the hold is shown', 5_000, async () => (await free()) === before - 9);
    const { data } = await call<{ id: string }>(node, '/api/keys/self', { headers });
    await call(node, `/api/keys/${data.id}/deactivate`, { headers: ADMIN, body: {} });
    await until('its slots are free', 5_000, async () => (await free()) === before);
  },
  TEST_MS,
);
