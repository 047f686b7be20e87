import { afterAll, beforeAll, expect, test } from 'bun:test';
import { pause } from '../chaos/kill/real-time.ts';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { recountOf } from '../support/spending.ts';
import { type Answer, call, type Headers, keyKnownTo, until } from './client.ts';
import { type Cluster, type ClusterNode, startCluster } from './cluster.ts';

const START_MS = 60_000;
const TEST_MS = 120_000;
/** A crashed request gives up its claim, and so its reservation, after two seconds. */
const SETTINGS = { RESPONSE_DEADLINE_MS: '1000', CLAIM_DEADLINE_MS: '2000', REAPER_INTERVAL_MS: '100' };
/** The price of one guest, in minor units. */
const PRICE = 12_345;
const BOUND = 20 * PRICE;
const DAY_MS = 24 * 60 * 60_000;

let cluster: Cluster;
let apis: [ClusterNode, ClusterNode];

beforeAll(async () => {
  cluster = await startCluster(SETTINGS);
  apis = await Promise.all([cluster.start('api'), cluster.start('api')]);
  await Promise.all([cluster.start('projector'), cluster.start('deliverer')]);
  await afterMidnight();
}, BUILD_MS + START_MS);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

/** The limit is that of a day in UTC, and the processes have the real clock. */
async function afterMidnight(): Promise<void> {
  const leftMs = DAY_MS - (Date.now() % DAY_MS);
  if (leftMs < TEST_MS * 2) await pause(leftMs);
}

function limitedKey(): Promise<Headers> {
  // The catalogue is that of Singapore while midnight is near in Bangkok.
  const currency = cluster.sale.city === 'Singapore' ? 'SGD' : 'THB';
  return keyKnownTo(apis, { limits: { day_total: BOUND / 100, currency } });
}

function book(node: ClusterNode, headers: Headers, name: string): Promise<Answer<{ booking_id: string }> | null> {
  const { large, today } = cluster.sale;
  const date = new Date(Date.parse(today) + 7 * DAY_MS).toISOString().slice(0, 10);
  const guest = { user_name: 'Ada Lovelace', user_email: 'ada@example.com' };
  const body = { activity_id: large[0], booking_date: date, num_adults: 1, ...guest };
  const asked = call<{ booking_id: string }>(node, '/api/b2a/execute_booking', {
    headers: { ...headers, 'idempotency-key': name },
    body,
  });
  return asked.catch(() => null);
}

type Own = { readonly id: string; readonly spending: { readonly today: { readonly used: number } } };

async function own(node: ClusterNode, headers: Headers): Promise<{ readonly id: string; readonly used: number }> {
  const { data } = await call<Own>(node, '/api/keys/self', { headers });
  return { id: data.id, used: data.spending.today.used };
}

/** What the events of the key's bookings say, in units of the currency. */
async function recounted(keyId: string): Promise<number> {
  const events = (await cluster.log()).filter(({ stream }) => stream.startsWith('booking-'));
  const streams = [...Map.groupBy(events, ({ stream }) => stream).values()];
  const ofKey = streams.filter((stream) => stream.some(({ data }) => 'keyId' in data && data.keyId === keyId));
  const day = new Date().toISOString().slice(0, 10);
  return ofKey.reduce((sum, stream) => sum + recountOf(stream, day), 0) / 100;
}

function codes(answers: readonly (Answer | null)[]): Record<string, number> {
  const counted: Record<string, number> = {};
  for (const answer of answers) {
    const code = answer === null ? 'lost' : answer.code || 'booked';
    counted[code] = (counted[code] ?? 0) + 1;
  }
  return counted;
}

test(
  'of 64 bookings at once on two nodes exactly those are made that the limit allows',
  async () => {
    const headers = await limitedKey();
    const names = Array.from({ length: 64 }, (_, n) => `booking ${n}`);
    // A busy machine may miss a deadline: then the same request is repeated.
    const ended = async (name: string, n: number) => {
      for (;;) {
        const answer = await book(apis[n % 2] ?? apis[0], headers, name);
        if (answer?.status === 200 || answer?.status === 403) return answer;
        await pause(100);
      }
    };
    const answers = await Promise.all(names.map(ended));
    expect(codes(answers)).toEqual({ booked: 20, SPENDING_LIMIT: 44 });
    for (const node of apis) {
      const { id, used } = await own(node, headers);
      expect([used, await recounted(id)]).toEqual([BOUND / 100, BOUND / 100]);
    }
  },
  TEST_MS,
);

test(
  'a killed node neither exceeds the limit nor keeps what its requests had reserved',
  async () => {
    const headers = await limitedKey();
    const [killed, other] = apis;
    const names = Array.from({ length: 40 }, (_, n) => `booking ${n}`);
    const first = Promise.all(names.map((name, n) => book(n % 2 === 0 ? killed : other, headers, name)));
    const { id } = await own(other, headers);
    await killed.program.kill();
    await first;
    expect(await recounted(id)).toBeLessThanOrEqual(BOUND / 100);
    // From now on each is repeated until it has an outcome.
    await until('each booking has an outcome', TEST_MS / 2, async () => {
      const answers = await Promise.all(names.map((name) => book(other, headers, name)));
      const ends = codes(answers);
      return ends['booked'] === 20 && ends['SPENDING_LIMIT'] === 20;
    });
    expect(await recounted(id)).toBe(BOUND / 100);
    expect((await own(other, headers)).used).toBe(BOUND / 100);
  },
  TEST_MS,
);
