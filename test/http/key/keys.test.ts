import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { unaudited } from '../../support/log-of-service.ts';
import { openService, type Service, withKey } from '../../support/service.ts';
import { type Answer, faulty, type Key, type Keys, refused } from '../../support/service-answers.ts';
import { NO_SPENDING_LIMITS } from '../../support/spending.ts';

const ALL_PERMISSIONS = ['recommend', 'execute_booking', 'inventory', 'webhook'];
const UNSET = { webhook_url: null, ip_allowlist: null, contact_email: null, expires_at: null, exploration: true };
const ALL_EVENTS = ['booking_confirmed', 'voucher_delivered', 'qr_verified', 'booking_cancelled', 'booking_modified'];
const SETTINGS = {
  name: 'Trip planner',
  plan: 'premium',
  permissions: ['inventory', 'execute_booking'],
  webhook_url: 'https://agent.example/hooks',
  webhook_events: ['qr_verified'],
  contact_email: 'ops@agent.example',
};

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

const inactive = (sentence: string) => refused(403, 'KEY_INACTIVE', sentence, { resolution: 'contact_operator' });

function list(query = '', headers: Record<string, string> = {}) {
  return service.get<Keys>(`/api/keys${query}`, { ...service.admin, ...headers });
}

describe('a new key', () => {
  test('with nothing but a name has the defaults, and its secrets are shown this once', async () => {
    const { data, headers } = await service.post<Key>('/api/keys', { name: 'An agent' }, service.admin);
    expect(data.key).toMatch(/^[0-9a-f]{64}$/);
    expect(data.webhook_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-position')).toMatch(/^\d+$/);
    expect<object>(data).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{16}$/),
      name: 'An agent',
      prefix: `pk_${data.key.slice(0, 6)}`,
      mode: 'live',
      plan: 'free',
      permissions: ALL_PERMISSIONS,
      webhook_events: ALL_EVENTS,
      ...UNSET,
      limits: { ...NO_SPENDING_LIMITS, open_holds: 2, unpaid_share: 0.25, refundable_guests: 60 },
      hotel_ids: [],
      active: true,
      created_at: '2026-11-21T03:00:00.000Z',
      key: data.key,
      webhook_secret: data.webhook_secret,
    });
  });

  test('works at once, and knows itself as it was created, without its secrets', async () => {
    const settings = { ...SETTINGS, expires_at: '2027-01-01T00:00:00+07:00' };
    const { key, webhook_secret: _secret, ...created } = await service.createKey(settings);
    expect<object>(created).toMatchObject({ ...SETTINGS, expires_at: '2026-12-31T17:00:00.000Z' });
    expect((await service.get('/api/keys/self', withKey(key))).data).toEqual({
      ...created,
      webhook: { failing_since: null, suspended_since: null },
      previous: null,
      previous_secret_signs_until: null,
      usage: {
        minute: { limit: 300, used: 0, remaining: 300 },
        day: { limit: 10_000, used: 0, remaining: 10_000, resets_at: '2026-11-22T00:00:00.000Z' },
      },
      spending: null,
      use: { today: { requests: 0, by_endpoint: {} } },
    });
    expect((await service.inventory('city=Bangkok', withKey(key))).status).toBe(200);
  });

  test('is another one each time, and has the plan that is asked for', async () => {
    const plans = ['free', 'basic', 'premium', 'enterprise'];
    const keys = await Promise.all(plans.map((plan) => service.createKey({ plan })));
    expect(new Set(keys.map(({ key }) => key)).size).toBe(plans.length);
    expect(new Set(keys.map((key) => key.webhook_secret)).size).toBe(plans.length);
    for (const [at, { key }] of keys.entries()) {
      expect((await service.get('/api/keys/self', withKey(key))).data).toMatchObject({ plan: plans[at] });
    }
  });

  test('may listen to no event, or to all', async () => {
    expect(await service.createKey({ webhook_events: [] })).toMatchObject({ webhook_events: [] });
    expect(await service.createKey({ webhook_events: null })).toMatchObject({ webhook_events: ALL_EVENTS });
  });

  const A_URL =
    'an http:// or https:// URL of a public host or this machine, without user name and password, at most 2000 characters';
  test.each([
    ['name', [undefined], 'a name of 1 to 120 characters'],
    ['name', ['', 7, 'x'.repeat(121)], 'a name of 1 to 120 characters'],
    ['plan', ['gold', 'Fre', 7], 'one of free, basic, premium, enterprise'],
    ['permissions', ['inventory', ['admin'], [7], []], `a list with at least one of ${ALL_PERMISSIONS.join(', ')}`],
    ['webhook_url', ['agent.example', 'https://a:b@agent.example/', 'https://192.168.0.1/'], A_URL],
    ['webhook_events', ['qr_verified', ['booked'], [null]], `a list of ${ALL_EVENTS.join(', ')}`],
    ['contact_email', ['ops', 7], 'a valid e-mail address'],
    ['expires_at', ['soon', '2027-01-01', '2027-01-01T00:00:00', 7], 'an ISO 8601 timestamp with a zone'],
  ] as const)('with a bad %s is INVALID_REQUEST: %j', async (field, values, rule) => {
    for (const value of values) {
      const { refusal } = await service.post('/api/keys', { name: 'An agent', [field]: value }, service.admin);
      const shown = JSON.stringify(value);
      const it = shown === undefined ? '' : `; it was ${shown.length > 80 ? `${shown.slice(0, 77)}…` : shown}`;
      const sentence = it === '' ? `${field} is missing; it must be ${rule}.` : `${field} must be ${rule}${it}.`;
      expect(refusal).toEqual(faulty('INVALID_REQUEST', sentence));
    }
  });

  test('with an expiry on a day that no calendar has is INVALID_REQUEST', async () => {
    const expires_at = '2027-02-30T00:00:00Z';
    const { refusal } = await service.post('/api/keys', { name: 'An agent', expires_at }, service.admin);
    expect(refusal.error).toBe(`expires_at must be an ISO 8601 timestamp with a zone; it was "${expires_at}".`);
  });

  test('must have a moment of work before it: an expiry that is not ahead is INVALID_REQUEST', async () => {
    const expiring = (expires_at: string) => service.post('/api/keys', { name: 'An agent', expires_at }, service.admin);
    for (const past of ['2026-11-21T03:00:00Z', '2026-11-21T09:59:59+07:00', '1999-01-01T00:00:00Z']) {
      const sentence = `expires_at must lie in the future; it was "${past}", now it is 2026-11-21T03:00:00.000Z.`;
      expect((await expiring(past)).refusal).toEqual(faulty('INVALID_REQUEST', sentence));
    }
    expect((await expiring('2026-11-21T03:00:00.001Z')).status).toBe(200);
  });

  test('has each permission, event and address once, however often it was named', async () => {
    const created = await service.createKey({
      permissions: ['webhook', 'inventory', 'webhook'],
      webhook_events: ['qr_verified', 'qr_verified'],
      ip_allowlist: ['203.0.113.7', '203.0.113.7'],
    });
    expect<object>(created).toMatchObject({
      permissions: ['webhook', 'inventory'],
      webhook_events: ['qr_verified'],
      ip_allowlist: ['203.0.113.7'],
    });
  });

  test.each(['free', 'basic', 'premium'])('with a list of addresses takes the plan enterprise: %s', async (plan) => {
    const asked = { name: 'An agent', plan, ip_allowlist: ['10.0.0.0/8'] };
    const before = await unaudited(service);
    expect((await service.post('/api/keys', asked, service.admin)).refusal).toEqual(
      refused(
        400,
        'INVALID_REQUEST',
        `ip_allowlist needs the plan "enterprise", but the plan is "${plan}"; send ip_allowlist null, or plan "enterprise".`,
      ),
    );
    expect(await unaudited(service)).toEqual(before);
  });

  test('has addresses and ranges of both kinds in its list, and nothing else', async () => {
    const good = ['203.0.113.7', '10.0.0.0/8', '0.0.0.0/0', '2001:db8::/32', '::1', '::ffff:10.0.0.1/128'];
    expect<object>(await service.createKey({ ip_allowlist: good })).toMatchObject({ ip_allowlist: good });
    const bad = ['10.0.0.0/33', '10.0.0/8', '10.0.0.0/', '::1/129', 'fe80::1%eth0', 'localhost', '', 7];
    for (const ip_allowlist of [...bad.map((one) => [one]), [], Array.from({ length: 101 }, () => '10.0.0.1')]) {
      const { refusal } = await service.post('/api/keys', { name: 'An agent', ip_allowlist }, service.admin);
      expect(refusal.code).toBe('INVALID_REQUEST');
      expect(refusal.error).toStartWith(
        'ip_allowlist must be a list of 1 to 100 IP addresses and CIDR ranges (203.0.113.0/24, 2001:db8::/32); it was [',
      );
    }
  });
});

describe('a key that is deactivated', () => {
  test('is KEY_INACTIVE at once and after a restart, and only it', async () => {
    await using own = await openService();
    const { key, webhook_secret: _secret, ...shown } = await own.createKey();
    const { id, prefix } = shown;
    const answer = await own.post(`/api/keys/${id}/deactivate`, {}, own.admin);
    expect<object>(answer.data).toEqual({ ...shown, active: false });
    expect(answer.headers.get('x-position')).toMatch(/^\d+$/);
    const expected = inactive(`The API key ${prefix} has been deactivated; ask the operator for a new one.`);
    expect((await own.book({}, withKey(key))).refusal).toEqual(expected);
    expect((await own.get('/api/health', withKey(key))).refusal).toEqual(expected);
    expect((await own.book()).status).toBe(200);
    await own.restart();
    expect((await own.get('/api/keys/self', withKey(key))).refusal).toEqual(expected);
  });

  test('may be deactivated again, and nothing more happens', async () => {
    const { id } = await service.createKey();
    const first = await service.post(`/api/keys/${id}/deactivate`, {}, service.admin);
    const before = await unaudited(service);
    const again = await service.post(`/api/keys/${id}/deactivate`, {}, service.admin);
    expect([again.data, again.headers.get('x-position')]).toEqual([first.data, null]);
    expect(await unaudited(service)).toEqual(before);
  });

  test.each(['key_0000000000000000', 'key_', 'KEY_0', 'old-pier'])('must exist: %s', async (id) => {
    const sentence = `There is no API key with the id "${id}"; GET /api/keys lists them.`;
    expect((await service.post(`/api/keys/${id}/deactivate`, {}, service.admin)).refusal).toEqual(
      refused(404, 'NOT_FOUND', sentence),
    );
  });

  test('leaves its bookings as they are, out of its reach', async () => {
    await using own = await openService();
    const { id, key } = await own.createKey();
    const { booking_id, voucher } = (await own.book({ booking_date: '2026-11-21' }, withKey(key))).data;
    await own.post(`/api/keys/${id}/deactivate`, {}, own.admin);
    expect((await own.booking(booking_id, withKey(key))).refusal.code).toBe('KEY_INACTIVE');
    expect((await own.verify({ code: voucher.code })).status).toBe(200);
  });
});

test('a key is KEY_INACTIVE from the moment it expires on', async () => {
  await using own = await openService();
  const { key, prefix } = await own.createKey({ expires_at: '2026-11-21T04:00:00Z' });
  own.clock.set(Date.parse('2026-11-21T04:00:00Z') - 1);
  expect((await own.get('/api/health', withKey(key))).status).toBe(200);
  own.clock.advance(1);
  expect((await own.get('/api/health', withKey(key))).refusal).toEqual(
    inactive(`The API key ${prefix} expired at 2026-11-21T04:00:00.000Z; ask the operator for a new one.`),
  );
});

describe('the list of keys', () => {
  test('has all of them, newest first, a page at a time, each once', async () => {
    await using own = await openService();
    const made = [];
    for (const name of ['one', 'two', 'three', 'four']) {
      own.clock.advance(1_000);
      const { key: _value, webhook_secret: _secret, ...shown } = await own.createKey({ name });
      made.unshift({ ...shown, last_used_at: null, requests_today: 0, usage: null });
    }
    await own.documents('keys');
    const pageAfter = async (cursor: string | null) => {
      const query = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      return (await own.get<Keys>(`/api/keys?limit=2${query}`, own.admin)).data;
    };
    const items: unknown[] = [];
    const sizes: number[] = [];
    for (let page = await pageAfter(null); ; page = await pageAfter(page.next_cursor)) {
      items.push(...page.items);
      sizes.push(page.items.length);
      if (page.next_cursor === null) break;
    }
    expect(sizes).toEqual([2, 2, 1]);
    expect(items.slice(0, 4)).toEqual(made);
  });

  test('has those that are active or not, or of a plan, where it is asked for them', async () => {
    await using own = await openService();
    const [free, basic, gone] = [
      await own.createKey({ plan: 'free' }),
      await own.createKey({ plan: 'basic' }),
      await own.createKey({ plan: 'free' }),
    ];
    await own.post(`/api/keys/${gone.id}/deactivate`, {}, own.admin);
    await own.patch(`/api/keys/${basic.id}`, { plan: 'premium' }, own.admin);
    await own.documents('keys');
    const idsOf = async (query: string) =>
      (await own.get<Keys>(`/api/keys?${query}`, own.admin)).data.items.map(({ id }) => id).sort();
    expect(await idsOf('active=false')).toEqual([gone.id]);
    expect(await idsOf('plan=free')).toEqual([free.id, gone.id].sort());
    expect(await idsOf('plan=free&active=true')).toEqual([free.id]);
    expect(await idsOf('plan=basic')).toEqual([]);
    expect(await idsOf('plan=premium&active=true')).toEqual([basic.id]);
    const { refusal } = await own.get('/api/keys?plan=gold&active=1', own.admin);
    expect([refusal.code, refusal.details]).toEqual([
      'INVALID_REQUEST',
      'active must be true or false; it was "1". plan must be one of free, basic, premium, enterprise; it was "gold".',
    ]);
  });

  test('shows keys of one and the same moment once each, too', async () => {
    await using own = await openService();
    for (let count = 0; count < 5; count++) await own.createKey();
    await own.documents('keys');
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { data } = await own.get<Keys>(`/api/keys?limit=1${query}`, own.admin);
      ids.push(...data.items.map(({ id }) => id));
      cursor = data.next_cursor;
    }
    expect(ids).toHaveLength(6);
    expect(new Set(ids).size).toBe(6);
  });

  test('shows a new key, and a deactivation, at once when the query sends the position back', async () => {
    for (let count = 0; count < 5; count++) {
      const created = await service.post<Key>('/api/keys', { name: 'Fresh' }, service.admin);
      const position = (answer: Answer) => ({ 'x-position': answer.headers.get('x-position') ?? '' });
      const { items } = (await list('?limit=100', position(created))).data;
      expect(items.map(({ id }) => id)).toContain(created.data.id);
      const gone = await service.post(`/api/keys/${created.data.id}/deactivate`, {}, service.admin);
      const after = (await list('?limit=100', position(gone))).data.items;
      expect(after.find(({ id }) => id === created.data.id)).toMatchObject({ active: false });
    }
  });

  test.each(['limit=0', 'limit=101', 'limit=2.5', 'limit=ten', 'limit=', 'limit=-1'])(
    'has pages of 1 to 100: %s',
    async (query) => {
      const given = query.slice('limit='.length);
      const shown = /^-?\d+(\.\d+)?$/.test(given) ? given : JSON.stringify(given);
      const sentence = `limit must be a whole number from 1 to 100; it was ${shown}.`;
      expect((await list(`?${query}`)).refusal).toEqual(faulty('INVALID_REQUEST', sentence));
    },
  );

  test.each(['x', 'bnVsbA', 'WzEsMl0', 'e30', '!!!'])('goes on only from a cursor of its own: %s', async (cursor) => {
    const sentence = `cursor must be the next_cursor of an earlier answer; it was "${cursor}".`;
    expect((await list(`?cursor=${cursor}`)).refusal).toEqual(faulty('INVALID_REQUEST', sentence));
  });
});

test('health returns the key of the request', async () => {
  const { key, prefix } = await service.createKey({ ...SETTINGS, plan: 'enterprise' });
  expect((await service.get('/api/health', withKey(key))).data).toEqual({
    status: 'ok',
    version: service.node.context.version,
    time: '2026-11-21T03:00:00.000Z',
    key: {
      prefix,
      mode: 'live',
      name: 'Trip planner',
      plan: 'enterprise',
      permissions: ['inventory', 'execute_booking'],
      daily_remaining: null,
    },
  });
});
