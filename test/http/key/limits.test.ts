import { describe, expect, test } from 'bun:test';
import { categoryOf, type StoredEvent } from '../../../src/ports/event-store.ts';
import { type Credentials, NOW, openService, type Service, withKey } from '../../support/service.ts';
import { type Answer, type AnswerOf, type Booking, refused } from '../../support/service-answers.ts';

const MIDNIGHT = Date.parse('2026-11-22T00:00:00Z');
const PLANS = [
  ['free', 10, 100],
  ['basic', 60, 1_000],
  ['premium', 300, 10_000],
] as const;

/** The cheapest request that counts: it is refused by the state, and so counts as any other that came so far. */
function ask(service: Service, key: Credentials): Promise<Answer> {
  return service.get('/api/b2a/bookings/bk_none', key);
}

/** Many at once, and how often each code was the answer. */
async function askTimes(service: Service, key: Credentials, times: number): Promise<Record<string, number>> {
  const answers = await Promise.all(Array.from({ length: times }, () => ask(service, key)));
  const codes: Record<string, number> = {};
  for (const { refusal } of answers) codes[refusal.code] = (codes[refusal.code] ?? 0) + 1;
  return codes;
}

/** Uses up the day, a full minute at a time, and leaves the last minute behind. */
async function useUpDay(service: Service, key: Credentials, perMinute = 10, perDay = 100): Promise<void> {
  for (let left = perDay; left > 0; left -= perMinute) {
    const now = Math.min(left, perMinute);
    expect(await askTimes(service, key, now)).toEqual({ BOOKING_NOT_FOUND: now });
    service.clock.advance(60_000);
  }
}

function limitsTold({ headers }: Answer): (string | null)[] {
  return [headers.get('ratelimit-policy'), headers.get('ratelimit'), headers.get('retry-after')];
}

async function keyOn(service: Service, plan: string, settings: object = {}): Promise<Credentials> {
  return withKey((await service.createKey({ plan, ...settings })).key);
}

function leftToday(service: Service, key: Credentials): Promise<number | null> {
  return service
    .get<{ key: { daily_remaining: number | null } }>('/api/health', key)
    .then(({ data }) => data.key.daily_remaining);
}

const FREE_POLICY = '"minute";q=10;w=60, "day";q=100;w=86400';
const LATER = { retryable: true, resolution: 'retry_later' } as const;

describe.each(PLANS)('the plan %s', (plan, perMinute, perDay) => {
  test(`allows ${perMinute} requests in any 60 seconds`, async () => {
    await using service = await openService();
    const key = await keyOn(service, plan);
    await ask(service, key);
    service.clock.advance(30_000);
    expect(await askTimes(service, key, perMinute)).toEqual({ BOOKING_NOT_FOUND: perMinute - 1, RATE_LIMITED: 1 });
    const details = `${perDay - perMinute} of today's ${perDay} requests are left.`;
    const sentence = (seconds: number) =>
      `The ${perMinute} requests that the plan "${plan}" allows in any 60 seconds are used up; send this one again in ${seconds} s.`;
    service.clock.advance(100);
    const first = await ask(service, key);
    expect(first.refusal).toEqual(refused(429, 'RATE_LIMITED', sentence(30), { ...LATER, details }));
    expect(limitsTold(first)).toEqual([
      `"minute";q=${perMinute};w=60, "day";q=${perDay};w=86400`,
      `"minute";r=0;t=30, "day";r=${perDay - perMinute};t=75570`,
      '30',
    ]);
    await service.restart();
    service.clock.set(NOW + 59_999);
    expect((await ask(service, key)).refusal).toEqual(refused(429, 'RATE_LIMITED', sentence(1), { ...LATER, details }));
    service.clock.set(NOW + 60_000);
    expect(await askTimes(service, key, 2)).toEqual({ BOOKING_NOT_FOUND: 1, RATE_LIMITED: 1 });
    service.clock.set(NOW + 90_000);
    expect(await askTimes(service, key, perMinute)).toEqual({ BOOKING_NOT_FOUND: perMinute - 1, RATE_LIMITED: 1 });
  });

  test(`allows ${perDay} requests until midnight UTC`, async () => {
    await using service = await openService();
    const key = await keyOn(service, plan);
    await useUpDay(service, key, perMinute, perDay);
    await service.restart();
    const over = refused(
      429,
      'QUOTA_EXCEEDED',
      `The ${perDay} requests that the plan "${plan}" allows in a day are used up; send this one again after 2026-11-22T00:00:00.000Z, or ask the operator for a larger plan.`,
      {
        ...LATER,
        details:
          'The quota resets at midnight UTC. Repeating a booking request with its Idempotency-Key still works until then.',
      },
    );
    service.clock.set(MIDNIGHT - 1);
    const last = await ask(service, key);
    expect(last.refusal).toEqual(over);
    expect(limitsTold(last)).toEqual([
      `"minute";q=${perMinute};w=60, "day";q=${perDay};w=86400`,
      `"minute";r=${perMinute};t=0, "day";r=0;t=1`,
      '1',
    ]);
    service.clock.set(MIDNIGHT);
    expect((await ask(service, key)).refusal.code).toBe('BOOKING_NOT_FOUND');
    expect(await leftToday(service, key)).toBe(perDay - 1);
  }, 30_000);
});

test('the plan enterprise has no limits, no counts and no RateLimit headers', async () => {
  await using service = await openService();
  const { id, key } = await service.createKey({ plan: 'enterprise' });
  expect(await askTimes(service, withKey(key), 400)).toEqual({ BOOKING_NOT_FOUND: 400 });
  expect(limitsTold(await ask(service, withKey(key)))).toEqual([null, null, null]);
  expect((await service.get('/api/keys/self', withKey(key))).data).toMatchObject({ usage: null });
  expect(await leftToday(service, withKey(key))).toBeNull();
  const { minute, day } = await service.node.stores.rateLimiter.peek(id, { perMinute: 1, perDay: 1 }, NOW);
  expect([minute.used, day.used]).toEqual([0, 0]);
});

describe('a request that passes', () => {
  test('uses quota whatever its outcome, and every answer has what remains', async () => {
    await using service = await openService();
    const key = await keyOn(service, 'free');
    const noted: unknown[] = [];
    const note = (answer: Answer) => noted.push([answer.status, answer.headers.get('ratelimit')]);
    note(await service.inventory('city=Bangkok', key));
    note(await service.book({}, { ...key, 'idempotency-key': 'one' }));
    note(await service.book({}, { ...key, 'idempotency-key': 'one' }));
    note(await service.book({ num_adults: 0 }, key));
    note(await service.book({ special_requests: 'x'.repeat(70_000) }, key));
    note(await service.book({ activity_id: 'nowhere' }, key));
    note(await service.book({ dry_run: true }, key));
    await service.node.stores.readModels.close();
    note(await service.get('/api/b2a/bookings', key));
    const left = (minute: number) => `"minute";r=${minute};t=60, "day";r=${minute + 90};t=75600`;
    expect(noted).toEqual([
      [200, left(9)],
      [200, left(8)],
      [200, left(7)],
      [400, left(6)],
      [413, left(5)],
      [404, left(4)],
      [200, left(3)],
      [500, left(2)],
    ]);
  });
});

describe('a request that does not pass', () => {
  test('for its rate uses no quota, and nothing of the minute', async () => {
    await using service = await openService();
    const key = await keyOn(service, 'free');
    await askTimes(service, key, 50);
    expect(await leftToday(service, key)).toBe(90);
    service.clock.advance(60_000);
    expect(await askTimes(service, key, 11)).toEqual({ BOOKING_NOT_FOUND: 10, RATE_LIMITED: 1 });
  });

  test('for its quota uses nothing of the minute', async () => {
    await using service = await openService();
    const key = await keyOn(service, 'free');
    await useUpDay(service, key);
    service.clock.set(MIDNIGHT - 1);
    expect(await askTimes(service, key, 30)).toEqual({ QUOTA_EXCEEDED: 30 });
    service.clock.set(MIDNIGHT);
    expect(await askTimes(service, key, 11)).toEqual({ BOOKING_NOT_FOUND: 10, RATE_LIMITED: 1 });
  });

  test('for a missing permission uses none, comes before any limit, and has what remains', async () => {
    await using service = await openService();
    const key = await keyOn(service, 'free', { permissions: ['inventory'] });
    for (let times = 0; times < 12; times++) {
      const answer = await ask(service, key);
      expect(answer.refusal.code).toBe('ENDPOINT_NOT_ALLOWED');
      expect(limitsTold(answer)).toEqual([FREE_POLICY, '"minute";r=10;t=0, "day";r=100;t=75600', null]);
    }
    for (let times = 0; times < 10; times++) await service.inventory('city=Bangkok', key);
    expect((await service.inventory('city=Bangkok', key)).refusal.code).toBe('RATE_LIMITED');
    expect((await ask(service, key)).refusal.code).toBe('ENDPOINT_NOT_ALLOWED');
  });

  test('for its key has no RateLimit headers', async () => {
    await using service = await openService();
    const { id, key } = await service.createKey({ plan: 'free' });
    await service.post(`/api/keys/${id}/deactivate`, {}, service.admin);
    for (const caller of [withKey(key), withKey(key.replace(/^./, 'f')), {}]) {
      const answer = await ask(service, caller);
      expect([401, 403]).toContain(answer.status);
      expect(limitsTold(answer)).toEqual([null, null, null]);
    }
  });

  test('is refused for its rate before its body is looked at', async () => {
    await using service = await openService();
    const key = await keyOn(service, 'free');
    await askTimes(service, key, 10);
    expect((await service.book({ num_adults: 'two' }, key)).refusal.code).toBe('RATE_LIMITED');
  });
});

describe('GET /api/health and GET /api/keys/self', () => {
  test('use nothing, and are answered when everything is used up', async () => {
    await using service = await openService();
    const key = await keyOn(service, 'free');
    const look = async () => {
      const health = await service.get<AnswerOf<'get /api/health'>>('/api/health', key);
      const self = await service.get<AnswerOf<'get /api/keys/self'>>('/api/keys/self', key);
      expect(limitsTold(self)).toEqual(limitsTold(health));
      return [health.data.key, self.data.usage, ...limitsTold(self)];
    };
    const usage = (minute: number, day: number) => ({
      minute: { limit: 10, used: minute, remaining: 10 - minute },
      day: { limit: 100, used: day, remaining: 100 - day, resets_at: '2026-11-22T00:00:00.000Z' },
    });
    for (let times = 0; times < 12; times++) {
      expect(await look()).toEqual([
        expect.objectContaining({ daily_remaining: 100 }),
        usage(0, 0),
        FREE_POLICY,
        '"minute";r=10;t=0, "day";r=100;t=75600',
        null,
      ]);
    }
    await askTimes(service, key, 20);
    expect(await look()).toEqual([
      expect.objectContaining({ daily_remaining: 90 }),
      usage(10, 10),
      FREE_POLICY,
      '"minute";r=0;t=60, "day";r=90;t=75600',
      null,
    ]);
    service.clock.advance(60_000);
    await useUpDay(service, key, 10, 90);
    expect(await look()).toEqual([
      expect.objectContaining({ daily_remaining: 0 }),
      usage(0, 100),
      FREE_POLICY,
      '"minute";r=10;t=0, "day";r=0;t=75000',
      null,
    ]);
  });

  test('tell a key about itself alone', async () => {
    await using service = await openService();
    const [one, other] = [await keyOn(service, 'free'), await keyOn(service, 'free')];
    await askTimes(service, one, 3);
    expect(await leftToday(service, one)).toBe(97);
    expect(await leftToday(service, other)).toBe(100);
  });
});

/** Every event that requests make: checkpoints are stored, and deliveries planned, whenever it is time. */
async function made(service: Service): Promise<readonly StoredEvent[]> {
  return (await service.events()).filter(({ stream }) => !['checkpoint', 'delivery'].includes(categoryOf(stream)));
}

describe('over the quota', () => {
  const ONCE = { 'idempotency-key': 'once' };

  async function given(service: Service): Promise<{ readonly key: Credentials; readonly booking: Booking }> {
    const key = await keyOn(service, 'free');
    const booking = (await service.book({}, { ...key, ...ONCE })).data;
    await useUpDay(service, key, 9, 99);
    return { key, booking };
  }

  test('a booking committed under the same Idempotency-Key is still answered, after a restart too', async () => {
    await using service = await openService();
    const { key, booking } = await given(service);
    const events = await made(service);
    for (const restarted of [false, true]) {
      if (restarted) await service.restart();
      const again = await service.book({}, { ...key, ...ONCE });
      expect(again.data).toEqual(booking);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(limitsTold(again)).toEqual([
        FREE_POLICY,
        `"minute";r=${restarted ? 8 : 9};t=60, "day";r=0;t=${75_600 - 11 * 60}`,
        null,
      ]);
    }
    expect(await made(service)).toEqual(events);
  });

  test('nothing else is, and nothing is made', async () => {
    await using service = await openService();
    const { key } = await given(service);
    const events = await made(service);
    const others: readonly [change: Readonly<Record<string, unknown>>, headers: Credentials][] = [
      [{}, {}],
      [{}, { 'idempotency-key': 'another' }],
      [{}, { 'idempotency-key': 'x'.repeat(256) }],
      [{ num_adults: 3 }, ONCE],
      [{ num_adults: 0 }, ONCE],
      [{ dry_run: true }, ONCE],
      [{ dry_run: true }, {}],
    ];
    for (const [change, headers] of others) {
      const { refusal } = await service.book(change, { ...key, ...headers });
      expect([change, refusal.code]).toEqual([change, 'QUOTA_EXCEEDED']);
    }
    expect((await service.inventory('city=Bangkok', key)).refusal.code).toBe('QUOTA_EXCEEDED');
    expect(await made(service)).toEqual(events);
  });

  test('such an answer takes its place in the minute, and a used-up minute refuses it', async () => {
    await using service = await openService();
    const { key, booking } = await given(service);
    const again = () => service.book({}, { ...key, ...ONCE });
    for (let times = 0; times < 10; times++) expect((await again()).data).toEqual(booking);
    const refusal = await again();
    expect(refusal.refusal.code).toBe('RATE_LIMITED');
    expect(refusal.headers.get('retry-after')).toBe('60');
    service.clock.advance(60_000);
    expect((await again()).data).toEqual(booking);
  });

  test('a repetition of the last request of the day is answered, or refused with Retry-After', async () => {
    await using service = await openService();
    const key = await keyOn(service, 'free');
    await useUpDay(service, key, 9, 99);
    const first = service.book({}, { ...key, ...ONCE });
    // Let the first one get past its counting and begin its work.
    for (let turns = 0; turns < 2; turns++) await new Promise((resolve) => setImmediate(resolve));
    const second = await service.book({}, { ...key, ...ONCE });
    const { data } = await first;
    if (second.status === 200) expect(second.data).toEqual(data);
    else expect(second.refusal.code).toBe('IDEMPOTENCY_IN_PROGRESS');
  });
});

describe('where the counters cannot be reached', () => {
  test('a key with limits gets SERVICE_UNAVAILABLE, one without is served', async () => {
    await using service = await openService();
    const { id, key } = await service.createKey({ plan: 'free' });
    await service.node.stores.rateLimiter.close();
    for (const path of ['/api/b2a/bookings', '/api/health']) {
      const answer = await service.get(path, withKey(key));
      expect(answer.refusal).toEqual(
        refused(
          503,
          'SERVICE_UNAVAILABLE',
          'The service cannot answer this now; send the same request again after a moment.',
          {
            ...LATER,
            details:
              'reason: usage counters unreachable. With the same Idempotency-Key a repeated request never books or charges twice.',
          },
        ),
      );
      expect(limitsTold(answer)).toEqual([null, null, '1']);
    }
    expect(service.logged.filter(({ level }) => level !== 'info')).toEqual([
      expect.objectContaining({ happening: 'request answered 503', facts: expect.objectContaining({ keyId: id }) }),
      expect.objectContaining({ happening: 'request answered 503', facts: expect.objectContaining({ keyId: id }) }),
    ]);
    expect((await service.get('/api/b2a/bookings')).status).toBe(401);
    expect((await service.get('/api/b2a/bookings', service.key)).status).toBe(200);
  });
});
